"""The explorer of RMSNorm computes what the package does, and moves what it says."""

import pytest
import torch

from chapters.rms_norm import explorer
from chapters.shared.explorer.markup import MINUS
from transformer.layers import rms_norm
from transformer.layers.norms import layer_norm

VECTORS = torch.empty(50, 2, dtype=torch.float64).uniform_(-3, 3).tolist()
ONE = torch.ones(2, dtype=torch.float64)


def both_norms(vectors):
    x = torch.tensor(vectors, dtype=torch.float64)
    return rms_norm(x, ONE, eps=1e-15), layer_norm(x, ONE, 0 * ONE, eps=1e-15)


def ask_all(ask, name, vectors, *given):
    asked = [[f"math.{name}", x, *given] for x in vectors]
    return torch.tensor(ask("rms_norm", *asked), dtype=torch.float64)


def test_script_norms_as_the_package_does(ask):
    for name, expected in zip(("rms", "layer"), both_norms(VECTORS), strict=True):
        found = ask_all(ask, name, VECTORS)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_a_shift_is_seen_by_rms_norm_only(ask):
    moved = ask_all(ask, "shift", VECTORS, 1.0)
    assert moved.abs().max() <= 3 + 1e-9
    (rms, layer), (rms_after, layer_after) = map(both_norms, (VECTORS, moved.tolist()))
    torch.testing.assert_close(layer_after, layer, rtol=0, atol=1e-6)
    # Near the diagonal a shift is a stretch, and near an end it is cut short.
    before = torch.tensor(VECTORS, dtype=torch.float64)
    apart = before.diff(dim=-1)[:, 0].abs() > 0.1
    far = apart & ((moved - before).abs().amax(dim=-1) > 0.05)
    assert far.sum() > 25
    assert (rms_after - rms)[far].abs().amax(dim=-1).min() > 1e-3
    ends = moved.abs().amax(dim=-1) > 3 - 1e-9
    assert moved[~ends].mean(dim=-1).tolist() == pytest.approx(
        [1.0] * len(moved[~ends])
    )


def test_a_size_is_seen_by_neither(ask):
    moved = ask_all(ask, "stretch", VECTORS, 1.5)
    assert moved.abs().max() <= 3 + 1e-9
    for before, after in zip(*map(both_norms, (VECTORS, moved.tolist())), strict=True):
        torch.testing.assert_close(after, before, rtol=0, atol=1e-6)
    sizes = moved.square().mean(dim=-1).sqrt()
    assert sizes.tolist() == pytest.approx([1.5] * len(VECTORS))


def test_a_vector_of_zeros_stays_one(ask):
    assert ask("rms_norm", ["math.rms", [0, 0]], ["math.layer", [2, 2]]) == [[0, 0]] * 2


def test_first_picture_shows_both_results():
    told = "Of x = (2.8, 0.4) RMSNorm makes (1.40, 0.20), LayerNorm (1.00, -1.00)."
    assert told.replace("-", MINUS) in explorer.show()._repr_html_()
