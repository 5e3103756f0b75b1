"""What the tests of the chapter on training share."""

import pytest

from chapters.laboratory import recipe
from chapters.laboratory.translator import train_translator
from transformer.training import run


@pytest.fixture
def first_losses(monkeypatch):
    """Return the first four losses of a shared translator, which then learns no more.

    Its schedule remains that of all its steps.
    """

    def call(**options):
        monkeypatch.setattr(
            recipe,
            "run",
            lambda trainer, batches, steps: run(trainer, batches, steps=4),
        )
        return train_translator(**options).losses

    return call
