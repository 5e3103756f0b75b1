"""Triangular systems with ones on the diagonal, also in programs that are exported."""

import pytest
import torch
from torch import nn
from torch.export import Dim, export
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers.triangular import solve_unit_triangular

EXACT = {"rtol": 1e-12, "atol": 1e-12}


class Solve(nn.Module):
    """Something to export."""

    def forward(self, system, right):
        return solve_unit_triangular(system, right)


def draw(rows):
    system = 0.5 * torch.randn(2, 3, rows, rows)
    return system.double(), torch.randn(2, 3, rows, 5).double()


def test_three_rows_by_hand():
    system = torch.tensor([[9.0, 9, 9], [2, 9, 9], [3, 4, 9]])  # 9 is never read
    found = solve_unit_triangular(system, torch.tensor([[1.0], [5.0], [20.0]]))
    assert found.flatten().tolist() == [1, 5 - 2 * 1, 20 - 3 * 1 - 4 * 3]


@pytest.mark.compiled
@facts("rows", [1, 2, 3, 8, 13])
def test_an_exported_program_solves_the_same(rows):
    system, right = draw(rows)
    found = export(Solve(), (system, right)).module()(system, right)
    assert_close(found, solve_unit_triangular(system, right), **EXACT)


@pytest.mark.compiled
def test_it_does_so_for_any_number_of_rows():
    rows = Dim("rows", min=2, max=40)
    sizes = ({2: rows, 3: rows}, {2: rows})
    program = export(Solve(), draw(5), dynamic_shapes=sizes).module()
    for count in (2, 7, 33):
        system, right = draw(count)
        assert_close(program(system, right), Solve()(system, right), **EXACT)


@pytest.mark.compiled
def test_keys_that_repeat_lose_no_digit():
    system, right = torch.ones(64, 64), torch.eye(64)
    found = export(Solve(), (system, right)).module()(system, right)
    assert torch.equal(found, right - right.roll(1, 0).tril())
