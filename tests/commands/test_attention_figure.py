"""The map of `translate --attention` says which word looks at which."""

import matplotlib.figure
import pytest
import torch

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
        assert words(panel.get_yticklabels()) == [
            *("quatre", "cent", "quatre", "-vingts", "end")
        ]
        assert words(panel.get_xticklabels()) == [*TEXT.split(), "end"]
    assert figure.get_supylabel() == "word to be written"
    assert figure.get_supxlabel() == "read"


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
