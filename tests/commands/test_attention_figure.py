"""The map of `translate --attention` says which word looks at which."""

from itertools import combinations

import matplotlib.figure
import pytest
import torch
from matplotlib.text import Text

from bookkit.checking.facts import facts
from transformer.commands.attention_figure import draw_attention
from transformer.commands.folder import Run
from transformer.data import BOS_ID, EOS_ID
from transformer.models import attention_maps

TEXT, TRANSLATION = "four hundred and eighty", "quatre cent quatre-vingts"


@pytest.fixture
def figure(trained, command, monkeypatch):
    """The figure that is saved, as an object."""
    saved = []
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *_, **__: saved.append(self)
    )
    command("translate", "--run", trained, "--attention=map.svg", "Four hundred eighty")
    return saved[0]


def words(labels):
    return [label.get_text() for label in labels]


def test_rows_are_the_words_to_be_written_and_columns_those_that_are_read(figure):
    for panel in figure.axes[:-1]:
        place = panel.get_subplotspec()  # the words stand once below, and once beside
        written = ["quatre", "cent", "quatre", "-vingts", "end"]
        read = [*TEXT.split(), "end"]
        assert words(panel.get_yticklabels()) == written * place.is_first_col()
        assert words(panel.get_xticklabels()) == read * place.is_last_row()
    named = [(panel.get_xlabel(), panel.get_ylabel()) for panel in figure.axes[:-1]]
    assert [x for x in named if x != ("", "")] == [("read", "word to be written")]


def test_each_row_holds_the_weights_from_which_its_word_was_written(figure, trained):
    model, tokenizer, _ = Run(trained).load()
    read = torch.tensor([[*tokenizer.encode(TEXT), EOS_ID]])
    before = torch.tensor([[BOS_ID, *tokenizer.encode(TRANSLATION)]])
    with torch.no_grad(), attention_maps(model) as maps:
        logits = model(read, before)
    assert logits.argmax(-1)[0, :-1].tolist() == tokenizer.encode(TRANSLATION)
    weights = maps["decoder.layers.1.cross_attention"][0, 2]
    (panel,) = (x for x in figure.axes if x.get_title() == "layer 2, head 3")
    shown = torch.tensor(panel.images[0].get_array())
    torch.testing.assert_close(shown, weights, rtol=0, atol=1e-6)


def test_the_title_says_what_was_translated_and_the_scale_begins_at_zero(figure):
    assert TEXT in figure.get_suptitle()
    assert TRANSLATION in figure.get_suptitle()
    scale = figure.axes[-1]
    assert scale.get_ylabel() == "weight (a row adds up to 1)"
    assert scale.get_ylim() == (0, 1)
    images = [panel.images[0] for panel in figure.axes[:-1]]
    assert {image.get_clim() for image in images} == {(0, 1)}
    low, high = (images[0].cmap(images[0].norm(x))[:3] for x in (0, 1))
    assert (low, high) == ((1, 1, 1), (0, 0, 0))


def test_signs_of_formulas_are_shown_as_they_are(trained, tmp_path):
    weights = [torch.ones(1, 1, 1)]
    drawn = draw_attention(weights, ["$5$_"], ["$^$"], title="costs $^ and $")
    drawn.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 0


@facts("layers, heads", [(1, 1), (2, 3)])
@facts("rows, columns", [(2, 3), (3, 41), (37, 2)])
def test_no_two_texts_overlap(layers, heads, rows, columns):
    weights = [torch.ones(heads, rows, columns) for _ in range(layers)]
    read, written = (["a", "incomprehensible"] * 21)[:columns], ["four"] * rows
    title = f"Where\n{' '.join(read)}\nto write: {' '.join(written)}"
    figure = draw_attention(weights, written, read, title=title)
    figure.draw_without_rendering()
    boxes = {
        text: text.get_window_extent().padded(-0.5)
        for text in figure.findobj(Text)
        if text.get_text() and text.get_visible()
    }
    assert len(boxes) >= rows + columns + layers * heads
    for one, other in combinations(boxes, 2):
        assert not boxes[one].overlaps(boxes[other]), (one, other)


def test_a_long_title_is_broken_and_keeps_its_words():
    long = " ".join(["incomprehensibilities"] * 41)
    figure = draw_attention([torch.ones(1, 2, 3)], "ab", "abc", title=f"Where\n{long}")
    first, *others = figure.get_suptitle().splitlines()
    assert (first, " ".join(others)) == ("Where", long)
    assert max(len(line) for line in others) < 50
