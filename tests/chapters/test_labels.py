"""A figure speaks Chinese where a catalog has its words, and else stays as it is."""

import io
import json
from types import SimpleNamespace

import matplotlib as mpl
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from matplotlib.text import Text
from matplotlib_inline import backend_inline

from bookkit.book.chinese import LABEL_FAMILY, LABEL_FONT, LABELS, drawn_texts
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from chapters.labels import FAMILY, FONT, read_labels, translate_labels
from chapters.narrow import KIND, narrow, write_narrow
from chapters.start import use_book_style

SAID = {
    "plain": "普通堆叠",
    "layer": "层",
    "with skips": "有残差连接",
    "swapped": "交换两层",
    "part of $x_0$ (2)": "$x_0$ 的份额（2）",
    "two\nlines": "残差流",
    "a name that is long": "嵌入",
    "2 layers": "2 层",
}
# How the ids of the font's shapes begin in a drawing.
SHAPES = f'id="{FAMILY.replace(" ", "")}'
CATALOGS = sorted(path.stem for path in FONT.parent.glob("*.json"))


@pytest.fixture(autouse=True)
def _style():
    use_book_style()
    read_labels("residual_connections")
    yield
    plt.close("all")
    mpl.rcParams.update(mpl.rcParamsDefault | {"backend": mpl.rcParams["backend"]})


def draw():
    """Draw a figure with a text of each kind."""
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([0, 1], [1, 2], label="with skips")
    left.set(title="plain", xlabel="layer", ylabel="part of $x_0$ (2)")
    left.legend()
    left.annotate("two\nlines", (0, 1))
    right.set_xticks([0, 1, 2], ["swapped", "$F_1$", "unknown"])
    right.set_xlim(0.5, 1.5)
    right.text(1, 0.5, "a name that is long", label="name")
    figure.suptitle("2 layers")
    return figure


def svg_of(figure):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def test_the_author_s_tools_know_the_font_and_its_place():
    assert (LABEL_FAMILY, find_root() / LABEL_FONT) == (FAMILY, FONT)
    assert FONT.parent == find_root() / LABELS


def test_texts_of_each_kind_are_translated_and_others_stay():
    figure = draw()
    english = drawn_texts(svg_of(figure))
    translate_labels(figure, SAID)
    chinese = drawn_texts(svg_of(figure))
    assert chinese == [SAID.get(text, text) for text in english]
    assert {*SAID.values(), "$F_1$", "1.0"} - {"交换两层"} <= set(chinese)


def test_named_ticks_keep_what_is_seen_of_the_axis():
    figure = draw()
    translate_labels(figure, SAID)
    axis = figure.axes[1].xaxis
    assert axis.get_ticklabels()[0].get_text() == "交换两层"
    assert tuple(axis.get_view_interval()) == (0.5, 1.5)


def test_no_sign_is_an_empty_box(caplog):
    figure = draw()
    translate_labels(figure, SAID)
    svg = svg_of(figure)  # a sign without a shape is a warning, and warnings are errors
    assert not caplog.records  # or is noted here, beside a formula
    assert SHAPES in svg


def test_english_figures_keep_their_bytes():
    before = svg_of(draw())
    translate_labels(other := draw(), SAID)
    svg_of(other)
    assert svg_of(draw()) == before
    translate_labels(same := draw(), {})
    assert svg_of(same) == before


def test_a_chinese_figure_has_the_same_bytes_at_every_run():
    figures = [draw(), draw()]
    for figure in figures:
        translate_labels(figure, SAID)
    first, second = map(svg_of, figures)
    assert first == second


def test_the_narrow_form_is_chinese_too():
    figure = draw()
    assert SHAPES not in write_narrow(figure)[KIND]
    translate_labels(figure, SAID)
    assert SHAPES in write_narrow(figure)[KIND]
    texts = {text.get_text() for text in narrow(figure).findobj(Text)}
    assert set(SAID.values()) - texts == set()
    assert "name" not in texts  # what the English form says for short


@pytest.mark.parametrize(
    ("labels", "title"), [("residual_connections", "普通堆叠"), ("", "plain")]
)
def test_a_notebook_shows_figures_in_the_language_it_begins_in(
    monkeypatch, labels, title
):
    shell = SimpleNamespace(display_formatter=DisplayFormatter())
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr(backend_inline, "set_matplotlib_formats", lambda *a, **k: None)
    use_book_style(labels)
    figure = draw()
    shown, _ = shell.display_formatter.format(figure)
    assert (SHAPES in shown[KIND]) == bool(labels)
    assert figure.axes[0].get_title() == title  # whatever format follows


@facts("chapter", CATALOGS)
def test_the_font_has_the_signs_of_a_catalog(chapter, caplog):
    labels = read_labels(chapter)
    figure = plt.figure()
    for number, label in enumerate(labels):
        figure.text(0, number / len(labels), label)
    translate_labels(figure, labels)
    assert drawn_texts(svg_of(figure)) == [*labels.values()]
    assert not caplog.records
    assert labels == json.loads(FONT.with_name(f"{chapter}.json").read_text("utf-8"))
