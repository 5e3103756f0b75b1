"""Figures have one style and the same bytes at every run."""

import io

import matplotlib as mpl
import pytest
import torch
from matplotlib import pyplot as plt

from chapters.start import gaussian, start_chapter, use_book_style


@pytest.fixture(autouse=True)
def _restored():
    dtype, device = torch.get_default_dtype(), torch.get_default_device()
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.set_default_dtype(dtype)
    torch.set_default_device(device)
    torch.set_printoptions(profile="default")
    mpl.rcParams.update(mpl.rcParamsDefault | {"backend": mpl.rcParams["backend"]})


def svg_of_a_figure():
    use_book_style()
    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [0, 1, 4], "o-", label="curve $x^2$")
    axes.imshow([[0, 1], [1, 0]])
    axes.legend()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    return buffer.getvalue()


def test_the_same_figure_has_the_same_bytes():
    assert svg_of_a_figure() == svg_of_a_figure()


def test_the_background_is_opaque_so_that_dark_pages_do_not_swallow_the_ink():
    assert b'style="fill: #ffffff"' in svg_of_a_figure()


def test_settings_made_before_do_not_leak_into_the_book():
    plain = svg_of_a_figure()
    mpl.rcParams["lines.linewidth"] = 9
    mpl.rcParams["axes.grid"] = True
    assert svg_of_a_figure() == plain


def test_a_chapter_computes_in_float64_and_prints_four_decimals():
    start_chapter()
    assert str(torch.tensor([1 / 3])) == "tensor([0.3333])"
    assert torch.tensor(1.0).dtype == torch.float64
    assert torch.get_num_threads() == 1


def test_gaussian_numbers_depend_on_seed_and_shape_only():
    first = gaussian(3, 2, seed=5)
    torch.manual_seed(123)
    torch.set_default_dtype(torch.float32)
    assert torch.equal(gaussian(3, 2, seed=5), first)
    assert not torch.equal(gaussian(3, 2, seed=6), first)
    assert first.dtype == torch.float64


def test_gaussian_numbers_go_to_the_default_device():
    torch.set_default_device("meta")
    assert gaussian(2, seed=0).device.type == "meta"
