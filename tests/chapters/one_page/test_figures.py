"""The figures show the file and the weights that they are given."""

import torch
from matplotlib.colors import to_hex

from chapters.one_page import figures
from chapters.one_page.changes import listing
from chapters.start import BLUE

FILE = '''"""Words."""

@decorate
def sinusoids(x):
    return x


class Attention:
    size = 1
'''


def test_spans_begin_at_a_decorator():
    assert figures.spans(FILE) == {"sinusoids": (3, 5), "Attention": (8, 9)}


def test_every_part_of_the_map_is_in_the_file_with_its_lines(drawn):
    figures.draw_map(listing())
    page, machine = drawn[0].axes
    said = [text.get_text() for text in page.texts]
    for name, (first, last) in figures.spans(listing()).items():
        assert f"{name}\n{first} to {last}" in said
    assert set(figures.PARTS) <= set(figures.spans(listing()))
    boxes = [text.get_text() for text in machine.texts]
    assert boxes.count("Attention") == 3


def test_a_line_is_a_bar_of_its_length_in_the_color_of_its_part(drawn):
    figures.draw_map(FILE)
    page, _ = drawn[0].axes
    last = page.patches[-1]
    assert (last.get_x(), last.get_width()) == (4, len("size = 1"))
    assert to_hex(last.get_facecolor()) == BLUE
    assert len(page.patches) == len(FILE.splitlines())


def test_looks_are_drawn_with_their_signs(drawn):
    maps = {"layer 1": torch.tensor([[1.0, 0.0], [0.25, 0.75], [0.0, 1.0]])}
    figures.draw_looks({**maps, "layer 2": maps["layer 1"]}, rows="ab>", columns="ba")
    panels = drawn[0].axes
    assert [panel.get_title() for panel in panels] == ["layer 1", "layer 2"]
    assert [t.get_text() for t in panels[0].get_yticklabels()] == ["a", "b", ">"]
    assert [t.get_text() for t in panels[0].get_xticklabels()] == ["b", "a"]


def test_the_merges_show_what_each_row_holds(drawn):
    figures.draw_merge("abc", 2)
    said = [[text.get_text() for text in axes.texts] for axes in drawn[0].axes]
    assert said == [
        ["a0", "a1", "b0", "b1", "c0", "c1"],
        ["a0", "b0", "c0", "a1", "b1", "c1"],
        ["a0", "a1", "b0", "b1", "c0", "c1"],
    ]
    shapes = [axes.images[0].get_array().shape for axes in drawn[0].axes]
    assert shapes == [(3, 2), (2, 3), (2, 3)]


def test_a_frame_marks_what_a_row_takes_from_a_later_position(drawn):
    figures.draw_merge("ab", 3)
    mixed, merged, wrong = (axes.patches for axes in drawn[0].axes)
    assert (len(mixed), len(merged)) == (0, 0)
    assert [(round(p.get_y()), round(p.get_x())) for p in wrong] == [(0, 1), (1, 0)]


def test_the_merges_are_those_of_the_file_and_of_its_change(drawn):
    figures.draw_merge("abc", 4)
    mixed = torch.arange(1, 5).expand(1, 3, 4)[..., None]
    good = mixed.transpose(1, 2).flatten(2)[0]
    _, merged, wrong = (axes.images[0].get_array() for axes in drawn[0].axes)
    assert merged.tolist() == good.tolist()
    assert wrong.tolist() == mixed.reshape(1, 4, 3)[0].tolist()


def test_a_continued_text_is_drawn_over_all_that_was_read(drawn):
    figures.draw_continued(torch.tensor([[0.2, 0.8]]), rows="b", columns="a<")
    axes = drawn[0].axes[0]
    assert [t.get_text() for t in axes.texts] == ["0.2", "0.8"]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["a", "<"]
