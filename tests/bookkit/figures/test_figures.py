"""Every figure function draws, refuses nothing it should take, and is in the book."""

import inspect
import json
from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch

import bookkit.figures
from chapters.self_attention import figures as self_attention
from chapters.sinusoidal import figures as sinusoidal

MODULES = [m.name for m in iter_modules(bookkit.figures.__path__)]


def drawing_functions(module):
    functions = inspect.getmembers(
        import_module(f"bookkit.figures.{module}"), inspect.isfunction
    )
    return {name for name, _ in functions if name.startswith("draw_")}


@pytest.mark.parametrize("module", MODULES)
def test_every_figure_of_a_module_is_drawn_in_its_chapter(module, pytestconfig):
    (path,) = (pytestconfig.rootpath / "book").glob(f"*/{module}.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    functions = drawing_functions(module)
    assert functions
    assert {name for name in functions if f"figures.{name}(" in code} == functions


def test_the_outputs_of_the_hull_are_where_the_numbers_are(drawn):
    values = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    self_attention.draw_hull(values, values.mean(dim=0, keepdim=True))
    squares, circles = drawn[0].axes[0].lines
    assert squares.get_xydata().tolist() == values.tolist()
    assert circles.get_xydata() == pytest.approx(values.mean(dim=0)[None].numpy())


def test_equivariance_shows_the_rows_in_their_own_order(drawn):
    first = torch.randn(3, 4)
    self_attention.draw_equivariance(first, first.flip(0), rows=["a", "b", "c"])
    left, right = drawn[0].axes
    assert [t.get_text() for t in left.get_yticklabels()] == ["a", "b", "c"]
    assert [t.get_text() for t in right.get_yticklabels()] == ["c", "b", "a"]
    assert left.images[0].get_clim() == right.images[0].get_clim()


def test_recall_draws_each_seed(drawn):
    runs = {"one": [[3, 2, 1], [3, 1, 0]], "two": [[4, 4, 4]]}
    self_attention.draw_recall(runs, chance=3.5)
    curves = [line for line in drawn[0].axes[0].lines if len(line.get_ydata()) == 3]
    assert [list(line.get_ydata()) for line in curves] == [
        [3, 2, 1],
        [3, 1, 0],
        [4] * 3,
    ]


def test_accuracy_shows_mean_and_range(drawn):
    sinusoidal.draw_accuracy(3, {"a": [[0.0, 1.0], [1.0, 1.0]]}, trained=4, chance=0.1)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_ydata()) == [0.5, 1.0]
    assert list(axes.lines[0].get_xdata()) == [3, 4]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (0.0, 1.0)


def test_clock_hands_turn_by_frequency_times_offset(drawn):
    sinusoidal.draw_clocks([0.5, 0.25], starts=(0, 2), offset=2)
    hand = drawn[0].axes[0].lines[2].get_xydata()[1]
    assert hand == pytest.approx([0.8414710, 0.5403023], rel=1e-6)
    assert len(drawn[0].axes) == 4


def test_addition_shows_the_sum_in_the_last_row(drawn):
    sinusoidal.draw_addition([0.5, 0.3], [0.1, 0.2])
    shown = drawn[0].axes[0].images[0].get_array()
    assert shown[2].tolist() == pytest.approx([0.6, 0.5])
