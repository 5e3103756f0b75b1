"""Every study of the book is finished, and its trainings can be made again."""

from importlib import import_module
from pathlib import Path

import torch

import chapters
from bookkit.checking.facts import facts

FOLDER = Path(chapters.__file__).parent
STUDIES = [
    ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    for path in sorted(FOLDER.glob("*/*.py"))
    if "\nSTUDY = Study(" in path.read_text("utf-8")
]
# A variant, the learning rate and the steps of a short training of it.
SHORT = {
    "ablations.changes": ("0 steps", 3e-3, 2),
    "activations.language": ("relu", 1e-2, 11),
    "beyond_words.few": ("1200 images, moved", 1e-2, 3),
    "beyond_words.positions": ("row and column, out of order", 1e-2, 3),
    "cost_and_scale.budgets": ("width 16", 1e-2, 1),
    "encoder_decoder.missing_parts": ("no residuals", 3e-3, 20),
    "feed_forward.widths": ("1x", 1e-2, 8),
    "layer_norm.shaken_norms": ("batch, shaken", 0.1, 30),
    "model_zoo.recipes": ("Llama style", 1e-2, 3),
    "multi_head_attention.number_of_heads": ("2 heads", 1e-2, 8),
    "rms_norm.experiments": ("none", 1e-2, 8),
    "self_attention.scale_factor": ("16, no factor, small queries", 1e-2, 8),
    "sinusoidal.longer_rows": ("backward, sinusoids", 1e-3, 2),
    "small_models.whisper": ("whisper", 3e-3, 60),
    "variants.language": ("balanced experts", 1e-2, 11),
    "without_softmax.hybrids": ("one of two", 1e-2, 2),
    "without_softmax.widths": ("delta rule, 8", 1e-2, 5),
}


def study(name):
    return import_module(f"chapters.{name}").STUDY


@facts("name", STUDIES)
def test_a_study_is_complete(name):
    found = study(name)
    assert list(found.pending(found.rows)) == []
    assert {row["variant"] for row in found.rows} == {*found.variants}


@facts("name", SHORT)
def test_a_training_repeats_to_the_last_bit_and_has_the_fields_of_the_file(name):
    variant, rate, steps = SHORT[name]
    setting = {"variant": variant, "learning_rate": rate, "steps": steps, "seed": 5}
    found = study(name).train(**setting)
    torch.rand(3)
    assert study(name).train(**setting) == found
    stored = next(row for row in study(name).rows if row["variant"] == variant)
    assert {*found, *setting, "seconds"} == {*stored}
