"""The explorer of layer norm computes what the package does, and moves what it says."""

import pytest
import torch

from chapters.layer_norm import explorer
from transformer.layers.norms import layer_norm

VECTORS = (
    torch.empty(50, 4, dtype=torch.float64).uniform_(-3, 5, generator=torch.Generator())
).tolist()
VECTORS += [list(explorer.VECTOR), [1, 2, 2, 3], [-3, 5, 5, 5], [0, 0, 0, 1]]


def norm(x, eps=1e-12):
    x = torch.tensor(x, dtype=torch.float64)
    return layer_norm(x, torch.ones(4).double(), torch.zeros(4).double(), eps=eps)


def test_script_norms_as_the_package_does(ask):
    found = ask("layer_norm", *(["math.norm", x] for x in VECTORS))
    x = torch.tensor(VECTORS, dtype=torch.float64)
    centered = x - x.mean(dim=-1, keepdim=True)
    for step, expected in ((1, centered), (2, norm(VECTORS, 1e-5))):
        steps = torch.tensor([each["steps"][step] for each in found]).double()
        torch.testing.assert_close(steps, expected, rtol=0, atol=1e-6)
    deviations = [each["deviation"] for each in found]
    assert deviations == pytest.approx(x.std(dim=-1, correction=0).tolist())


def test_a_shift_moves_the_mean_and_not_the_result(ask):
    moved = ask("layer_norm", *(["math.shift", x, 1.5] for x in VECTORS))
    for before, after in zip(VECTORS, moved, strict=True):
        assert -3 - 1e-9 <= min(after) <= max(after) <= 5 + 1e-9
        held = min(abs(min(after) + 3), abs(max(after) - 5)) < 1e-9
        assert held or sum(after) / 4 == pytest.approx(1.5)
        torch.testing.assert_close(norm(after), norm(before), rtol=0, atol=1e-6)


def test_a_spread_moves_the_deviation_and_not_mean_or_result(ask):
    for wanted in (0.5, 1.9):
        moved = ask("layer_norm", *(["math.spread", x, wanted] for x in VECTORS))
        for before, after in zip(VECTORS, moved, strict=True):
            assert -3 - 1e-9 <= min(after) <= max(after) <= 5 + 1e-9
            assert sum(after) == pytest.approx(sum(before))
            held = min(abs(min(after) + 3), abs(max(after) - 5)) < 1e-9
            deviation = torch.tensor(after).double().std(correction=0).item()
            assert held or deviation == pytest.approx(wanted)
            torch.testing.assert_close(norm(after), norm(before), rtol=0, atol=1e-6)


def test_a_constant_vector_has_nothing_to_spread(ask):
    moved, least = ask(
        "layer_norm",
        ["math.spread", [2, 2, 2, 2], 3],
        ["math.spread", [1, 1, 3, 3], -9],
    )
    assert moved == [2, 2, 2, 2]
    assert least == pytest.approx([1.8, 1.8, 2.2, 2.2])


def test_chapter_s_example_stands_in_the_first_picture():
    told = "Mean 2.50, deviation 1.12. The norm takes both away"
    assert told in explorer.show()._repr_html_()
