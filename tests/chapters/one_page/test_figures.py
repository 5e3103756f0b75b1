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


def test_logs_are_curves_that_name_the_last_text(drawn):
    log = {0: (4.0, "<<"), 10: (2.0, "ab>")}
    figures.draw_logs({"as it is": log, "other": {0: (3.0, "b"), 10: (1.0, "c>")}})
    axes = drawn[0].axes[0]
    curves = {line.get_label(): line.get_ydata().tolist() for line in axes.lines}
    assert curves == {"as it is: writes ab": [4, 2], "other: writes c": [3, 1]}
    assert axes.lines[0].get_xdata().tolist() == [0, 10]


def test_a_continued_text_is_drawn_over_all_that_was_read(drawn):
    figures.draw_continued(torch.tensor([[0.2, 0.8]]), rows="b", columns="a<")
    axes = drawn[0].axes[0]
    assert [t.get_text() for t in axes.texts] == ["0.2", "0.8"]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["a", "<"]
