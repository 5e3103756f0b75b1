"""A small model that learns to copy, and all that a training needs."""

from functools import partial
from types import SimpleNamespace

import pytest
import torch

from transformer.config import TransformerConfig
from transformer.data import Example, TrainingBatches
from transformer.models import Transformer
from transformer.training import LabelSmoothingLoss, Trainer, adam, cosine_schedule

CONFIG = TransformerConfig(
    vocab_size=13,
    max_len=16,
    num_encoder_layers=1,
    num_decoder_layers=1,
    d_model=12,
    d_ff=17,
    num_heads=3,
    norm_placement="pre",
    final_norm=True,
    pad_id=0,
)
STEPS = 12


def new_examples(number=23):
    """Sequences of 2 to 7 tokens to copy; 0, 1, 2 are pad, begin and end."""
    generator = torch.Generator().manual_seed(1)
    draw = partial(torch.randint, generator=generator)
    words = [draw(3, 13, (int(draw(2, 8, ())),)).tolist() for _ in range(number)]
    return [Example(source=[*ids, 2], target=[1, *ids, 2]) for ids in words]


def new_batches(batch_size=5):
    """The batches of an endless training."""
    return TrainingBatches(new_examples(), batch_size=batch_size, seed=3)


def new_trainer(*, config=CONFIG, seed=0, dtype=torch.float64, **options):
    """A trainer that has taken no step."""
    torch.manual_seed(seed)
    model = Transformer(config).to(dtype)
    schedule = partial(cosine_schedule, peak=0.01, steps=STEPS, warmup=3)
    return Trainer(
        model,
        loss=LabelSmoothingLoss(),
        optimizer=adam(model),
        **{"schedule": schedule, **options},
    )


def parameters(trainer):
    """Copies of the parameters of a trainer, by name."""
    named = trainer.model.named_parameters()
    return {name: parameter.detach().clone() for name, parameter in named}


@pytest.fixture
def kit():
    """The parts, for tests that build their own trainings."""
    return SimpleNamespace(
        config=CONFIG,
        steps=STEPS,
        examples=new_examples,
        batches=new_batches,
        trainer=new_trainer,
        parameters=parameters,
    )


@pytest.fixture
def batches():
    return new_batches()


@pytest.fixture
def trainer():
    return new_trainer()
