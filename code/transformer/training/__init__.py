"""Training: from random parameters to a model that works, on one device or many."""

from transformer.training.callbacks import (
    Callback,
    Checkpointing,
    ProgressBar,
    Validation,
)
from transformer.training.checkpoints import (
    Checkpoint,
    CheckpointError,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from transformer.training.evaluation import Evaluation, evaluate
from transformer.training.log import StepRecord, TrainingLog, ValidationRecord
from transformer.training.loop import run, train
from transformer.training.lora import (
    AdaptedPart,
    LoRALinear,
    adapter_off,
    attach_adapter,
    detach_adapter,
    list_adapter,
    merge_adapter,
    unmerge_adapter,
)
from transformer.training.loss import LabelSmoothingLoss
from transformer.training.muon import Muon, muon, newton_schulz
from transformer.training.optimizers import adam
from transformer.training.policy import (
    clipped_gain,
    group_advantages,
    grpo_loss,
    kl_estimate,
    pass_at_k,
    policy_gradient_loss,
)
from transformer.training.preferences import (
    DPO,
    Preference,
    best_policy,
    bradley_terry,
    dpo_loss,
    implicit_reward,
    sequence_log_probabilities,
    token_log_probabilities,
)
from transformer.training.saved_adapter import (
    Adapter,
    AdapterError,
    load_adapter,
    read_adapter,
    save_adapter,
)
from transformer.training.schedules import (
    constant_schedule,
    cosine_schedule,
    noam_schedule,
)
from transformer.training.state import load_model, restore, snapshot
from transformer.training.step import PRECISIONS, Trainer, TrainingError
from transformer.training.text_scores import (
    bits_per_character,
    score_text,
    score_while_learning,
)
from transformer.training.trained import load_training
from transformer.training.world import World, connected, default_device, distribute

__all__ = [
    "DPO",
    "PRECISIONS",
    "AdaptedPart",
    "Adapter",
    "AdapterError",
    "Callback",
    "Checkpoint",
    "CheckpointError",
    "Checkpointing",
    "Evaluation",
    "LabelSmoothingLoss",
    "LoRALinear",
    "Muon",
    "Preference",
    "ProgressBar",
    "StepRecord",
    "Trainer",
    "TrainingError",
    "TrainingLog",
    "Validation",
    "ValidationRecord",
    "World",
    "adam",
    "adapter_off",
    "attach_adapter",
    "best_policy",
    "bits_per_character",
    "bradley_terry",
    "clipped_gain",
    "connected",
    "constant_schedule",
    "cosine_schedule",
    "default_device",
    "detach_adapter",
    "distribute",
    "dpo_loss",
    "evaluate",
    "group_advantages",
    "grpo_loss",
    "implicit_reward",
    "kl_estimate",
    "list_adapter",
    "list_checkpoints",
    "load_adapter",
    "load_checkpoint",
    "load_model",
    "load_training",
    "merge_adapter",
    "muon",
    "newton_schulz",
    "noam_schedule",
    "pass_at_k",
    "policy_gradient_loss",
    "read_adapter",
    "restore",
    "run",
    "save_adapter",
    "save_checkpoint",
    "score_text",
    "score_while_learning",
    "sequence_log_probabilities",
    "snapshot",
    "token_log_probabilities",
    "train",
    "unmerge_adapter",
]
