"""Three translators that differ in their positions, and in how these start."""

import pytest

from chapters.laboratory.translator import new_translator, numbers
from chapters.small_models import whisper
from chapters.small_models.whisper import HALF, VARIANTS, measured


def table_of(variant):
    model = new_translator(seed=0, **VARIANTS[variant])
    return model.embedding.positions.embedding.weight


def test_the_tables_differ_in_their_size_alone():
    quiet, loud = table_of("whisper"), table_of("voice")
    assert quiet.shape == loud.shape
    assert quiet.std().item() == pytest.approx(0.02, rel=0.1)
    assert loud.std().item() == pytest.approx(0.71, rel=0.1)


def test_the_rate_is_chosen_by_other_numbers_than_the_test(monkeypatch):
    seen = {}
    monkeypatch.setattr(whisper, "share_right", lambda _, pairs: seen.update(pairs))
    measured("voice", 5e-3, 60, 3)
    first, others = numbers().splits.test[:HALF], numbers().splits.test[HALF:]
    assert len(others) == HALF
    assert seen.items() == dict(others).items()
    assert not dict(first).items() & seen.items()
