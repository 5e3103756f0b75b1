"""The explorer of LoRA shows products of each rank, and what they miss."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.manners import explorer
from transformer.training import LoRALinear

KINDS = explorer.show().data["kinds"]
RANKS = range(explorer.SIDE + 1)


def products(ask, kind):
    asked = [["math.product", KINDS[kind], rank] for rank in RANKS]
    return torch.tensor(ask("manners", *asked), dtype=torch.float64)


@facts("kind", explorer.KINDS)
def test_product_is_the_nearest_matrix_of_its_rank(ask, kind):
    left, sizes, right = torch.linalg.svd(explorer.want(kind))
    for rank, found in enumerate(products(ask, kind)):
        nearest = left[:, :rank] * sizes[:rank] @ right[:rank]
        # Both factors are rounded to two decimals.
        torch.testing.assert_close(found, nearest, rtol=0, atol=0.07)
        assert torch.linalg.matrix_rank(found) == rank


def test_script_multiplies_as_an_adapter_does(ask):
    rank, pair = 3, KINDS["few"]
    lora = LoRALinear(nn.Linear(10, 10).double(), rank=rank, alpha=float(rank))
    with torch.no_grad():
        lora.up.copy_(torch.tensor(pair["b"])[:rank].T)
        lora.down.copy_(torch.tensor(pair["a"])[:rank])
    [found] = ask("manners", ["math.product", pair, rank])
    found = torch.tensor(found, dtype=torch.float64)
    torch.testing.assert_close(found, lora.change.detach(), rtol=0, atol=1e-6)


@facts("size, rank", [(10, 0), (10, 3), (576, 4)])
def test_numbers_are_those_that_an_adapter_trains(ask, size, rank):
    learned = 0
    if rank:
        lora = LoRALinear(nn.Linear(size, size, bias=False), rank=rank)
        learned = sum(w.numel() for w in lora.parameters() if w.requires_grad)
    assert ask("manners", ["math.trained", size, rank]) == [learned]


def lost(ask, kind, rank):
    wanted = torch.tensor(KINDS[kind]["wanted"], dtype=torch.float64)
    missing = wanted - products(ask, kind)[rank]
    return (missing.square().sum() / wanted.square().sum()).item()


def test_what_is_missing_is_what_the_instruction_says(ask):
    assert lost(ask, "few", 3) < 0.02
    assert lost(ask, "all", 3) == pytest.approx(0.25, abs=0.02)
    assert "9 % is missing" in explorer.show()._repr_html_()
    assert round(100 * lost(ask, "few", explorer.RANK)) == 9


def test_cells_of_a_matrix_are_shaded_by_size_and_sign(ask):
    matrix = [[1.0, -1.0], [0.1, 0.45]]
    [cells] = ask("manners", ["math.shades", matrix, [0, 0], 1.0])
    assert {shade: path[:6] for shade, path in cells.items()} == {
        **{"4": "M0 0h1", "-4": "M11 0h"},
        **{"0": "M0 11h", "2": "M11 11"},
    }
