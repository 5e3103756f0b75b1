"""Families: which of them describes which models."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from transformer.checks.values import check_choice
from transformer.config import TransformerConfig
from transformer.models import unwrapped
from transformer.zoo.bert import BERT
from transformer.zoo.deepseek_v3 import DEEPSEEK_V3
from transformer.zoo.family import Family, Model, check_source
from transformer.zoo.gemma3 import GEMMA_3
from transformer.zoo.gpt2 import GPT2
from transformer.zoo.gpt_neox import GPT_NEOX
from transformer.zoo.gpt_oss import GPT_OSS
from transformer.zoo.llama import LLAMA
from transformer.zoo.mamba2 import MAMBA2
from transformer.zoo.original import MARIAN
from transformer.zoo.qwen3 import QWEN3
from transformer.zoo.t5 import T5
from transformer.zoo.vit import VIT

KNOWN = (MARIAN, BERT, GPT2, T5, LLAMA, GPT_NEOX)
KNOWN += (QWEN3, GEMMA_3, GPT_OSS, DEEPSEEK_V3, MAMBA2, VIT)
# By the `model_type` of a Hugging Face configuration.
FAMILIES: dict[str, Family] = {
    kind: family for family in KNOWN for kind in family.model_types
}
CONFIGS: dict[str, TransformerConfig] = {
    name: config
    for family in FAMILIES.values()
    for name, config in family.configs.items()
}


def family_of(config: object) -> Family:
    """Return the family of a preset's name or of a Hugging Face configuration.

    Raises:
        ValueError: If there is no such preset, no such family, or nothing to tell it.
    """
    if config is None or isinstance(config, TransformerConfig):
        found = "none" if config is None else "a TransformerConfig, which tells none"
        modules = dict.fromkeys(f.convert.__module__ for f in FAMILIES.values())
        raise ValueError(
            f"the family must be told by a preset or a model_type, got {found}; pass "
            "config=, or call the family's own from_hugging_face, in one of "
            f"{', '.join(modules)}."
        )
    if isinstance(config, str):
        check_choice("the name of a preset", config, CONFIGS)
        return next(f for f in FAMILIES.values() if config in f.configs)
    if isinstance(config, Mapping):
        kind = config.get("model_type")
    else:
        kind = getattr(config, "model_type", None)
    check_choice("model_type", kind, FAMILIES)
    return FAMILIES[kind]


def from_hugging_face(
    model_or_state_dict: nn.Module | Mapping[str, Tensor],
    *,
    config: object = None,
    dtype: torch.dtype | None = None,
) -> Model:
    """Return our model with the weights of a Hugging Face model of any known family.

    Args:
        model_or_state_dict: The model, or its tensors by name.
        config: What the tensors are of: the name of a preset or a Hugging Face
            configuration; that of the model when None.
        dtype: That of all parameters; as stored when not given, where it must be one.

    Returns:
        The model in evaluation mode, on the device of the weights.

    Raises:
        ValueError: If the family is not known, or the configuration or a tensor does
            not fit; nothing is loaded.
    """
    check_source(model_or_state_dict)
    told = config
    if told is None:
        told = getattr(unwrapped(model_or_state_dict), "config", None)
    family = family_of(told)
    return family.load(model_or_state_dict, config, options={}, dtype=dtype)
