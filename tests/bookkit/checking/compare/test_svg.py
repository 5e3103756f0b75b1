import io
import re

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.transforms import Affine2D

from bookkit.checking.compare.svg import compare_svg
from bookkit.checking.facts import facts

MATPLOTLIB_CAUGHT = {
    "a moved curve": {"shift": 0.01},
    "a missing bar": {"bars": (3.0, 5.0, 2.0, 7.0)},
    "a changed color": {"color": "#0072b5"},
    "a changed label": {"label": "attentian"},
    "a changed cell of a heat map": {"cell": 0.3},
}

MATPLOTLIB_TOLERATED = {
    "other ids": {"salt": "another"},
    "another version": {"creator": "Matplotlib v99"},
    "noise in the last digits": {"noise": 1e-6},
    "a curve moved by 0.05 pt": {"shift": 0.001},
    "one level of a color": {"color": "#0073b1"},
    "a cell of a heat map in the next color": {"cell": 0.254},
}


@facts("change", MATPLOTLIB_CAUGHT.values(), ids=[*MATPLOTLIB_CAUGHT])
def test_is_caught(figure, svg, change):
    assert compare_svg(svg, figure(**change))


@facts("change", MATPLOTLIB_TOLERATED.values(), ids=[*MATPLOTLIB_TOLERATED])
def test_is_tolerated(figure, svg, change):
    computed = figure(**change)
    assert computed != svg
    assert compare_svg(svg, computed) is None


def draw_rarely_drawn(salt, fonttype):
    """Draw what figures of the book do not hold, and Matplotlib can write."""
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": fonttype}):
        figure = Figure()
        left, right = figure.subplots(1, 2)
        left.pcolormesh([[0, 1], [2, 3]], shading="gouraud")
        left.bar([1], [1], hatch="/", alpha=0.5)[0].set_url("https://a.org")
        left.text(0, 0, r"$\frac{1}{2}$ b", rotation=30, style="italic", alpha=0.5)
        left.text(1, 1, "a", rotation=30, rotation_mode="anchor", weight="bold")
        right.imshow([[0, 1]], transform=Affine2D().skew(1, 0) + right.transData)
        right.scatter([0, 1], [0, 1], c=[0, 1], urls=["https://a.org"] * 2)
        right.plot([0, 1], [0, 1], "o--", clip_path=Circle((0, 0), 1))
        right.contourf([[0, 1], [2, 3]], hatches=["x", "o"])
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Title": salt})
    return file.getvalue()


@facts("fonttype", ["path", "none"])
def test_all_that_matplotlib_draws_can_be_compared(fonttype):
    stored = draw_rarely_drawn("a", fonttype)
    computed = draw_rarely_drawn("b", fonttype).replace("<title>b<", "<title>a<")
    assert computed != stored
    assert compare_svg(stored, computed) is None
    assert compare_svg(stored, draw_rarely_drawn("b", fonttype))


def draw(body, head='viewBox="0 0 300 200" width="300pt" height="200pt"'):
    group = '<g id="figure_1"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{group}{body}</svg>'


TOLERATED = {
    "a coordinate": ('<rect x="1.00"/>', '<rect x="1.09"/>'),
    "white space in a path": (
        '<path d="M 1 2 L 3 -4"/>',
        '<path d="M 1 2 \nL  3 -4\n"/>',
    ),
    "a shift": (
        '<g transform="translate(5 7) scale(2)"/>',
        '<g transform="translate(5.04 7) scale(2)"/>',
    ),
    "an angle": ('<g transform="rotate(30)"/>', '<g transform="rotate(30.002)"/>'),
    "a scale": ('<g transform="scale(2)"/>', '<g transform="scale(2.0001)"/>'),
    "the order of a style": (
        '<g style="fill: red; stroke: none"/>',
        '<g style="stroke:none;fill:red;"/>',
    ),
    "an opacity": ('<g opacity="0.5"/>', '<g opacity="0.5009"/>'),
    "a comment": ("<g><!-- a --></g>", "<g><!-- b --></g>"),
    "metadata": ("<metadata><a/></metadata>", "<metadata><b/></metadata>"),
    "ids": (
        '<g id="a"/><use href="#a" fill="url(#b)"/><path id="b"/>',
        '<g id="x"/><use href="#x" fill="url(#y)"/><path id="y"/>',
    ),
}

CAUGHT = {
    "a coordinate": ('<rect x="1.00"/>', '<rect x="1.11"/>'),
    "a point": ('<path d="M 1 2 L 3 4"/>', '<path d="M 1 2 L 3 4.2"/>'),
    "a command": ('<path d="M 1 2 L 3 4"/>', '<path d="M 1 2 M 3 4"/>'),
    "a point more": ('<path d="M1 2L3 4"/>', '<path d="M1 2L3 4L3 4"/>'),
    "a shift": ('<g transform="translate(5)"/>', '<g transform="translate(5.2)"/>'),
    "a scale": ('<g transform="scale(0.1)"/>', '<g transform="scale(0.10002)"/>'),
    "an angle": ('<g transform="rotate(30)"/>', '<g transform="rotate(30.06)"/>'),
    "a matrix": (
        '<g transform="matrix(1 0 0 1 5 5)"/>',
        '<g transform="matrix(1 0.0002 0 1 5 5)"/>',
    ),
    "three levels of a color": ('<g fill="#000000"/>', '<g fill="#030000"/>'),
    "a color in numbers": ('<g fill="#010203"/>', '<g fill="rgb(3, 4, 5)"/>'),
    "no color": ('<g fill="none"/>', '<g fill="#000000"/>'),
    "a property": ('<g style="fill: red"/>', '<g style="stroke: red"/>'),
    "an attribute more": ("<g/>", '<g opacity="1"/>'),
    "a width": ('<g stroke-width="1"/>', '<g stroke-width="1.0011"/>'),
    "dashes": ('<g stroke-dasharray="4,2"/>', '<g stroke-dasharray="4,1"/>'),
    "an element": ("<g><rect/></g>", "<g><path/></g>"),
    "an element less": ("<g><rect/><rect/></g>", "<g><rect/></g>"),
    "an element more": ("<rect/>", "<rect/><rect/>"),
    "an element moved to another group": ("<g><g/></g>", "<g/><g/>"),
    "a text": ("<text>a b</text>", "<text>a c</text>"),
    "a text after an element": ("<text><a/>b</text>", "<text><a/>c</text>"),
    "a use of something else": (
        '<g id="a"/><g id="b"/><use href="#a"/>',
        '<g id="a"/><g id="b"/><use href="#b"/>',
    ),
    "ids in labels": (
        '<g aria-labelledby="a b"/><g id="a"/><g id="b"/>',
        '<g aria-labelledby="x y"/><g id="x"/><g id="y"/>',
    ),
    "ids in a style sheet": (
        '<g id="a"/><style>#a {fill: #abc}</style>',
        '<g id="x"/><style>#x {fill: #abc}</style>',
    ),
    "two ids become one": (
        '<use href="#a"/><use href="#b"/>',
        '<use href="#a"/><use href="#a"/>',
    ),
    "one id becomes two": (
        '<use href="#a"/><use href="#a"/>',
        '<use href="#a"/><use href="#b"/>',
    ),
    "an address": ('<a href="x/1.0001"/>', '<a href="x/1.0002"/>'),
}


@facts("stored, computed", TOLERATED.values(), ids=[*TOLERATED])
def test_a_small_change_is_tolerated(stored, computed):
    assert compare_svg(draw(stored), draw(computed)) is None
    assert compare_svg(draw(computed), draw(stored)) is None


@facts("stored, computed", CAUGHT.values(), ids=[*CAUGHT])
def test_a_small_change_is_caught(stored, computed):
    assert compare_svg(draw(stored), draw(computed))
    assert compare_svg(draw(computed), draw(stored))


def test_a_figure_of_another_program_must_stay_the_same():
    stored, computed, spaced = (
        draw(body, 'viewBox="0 0 1 1"').replace("figure_1", "drawing")
        for body in ('<rect x="0.5"/>', '<rect x="0.7"/>', ' <rect x="0.5"/>')
    )
    assert compare_svg(stored, stored) is None
    assert 'stored "0.5", computed "0.7"' in compare_svg(stored, computed)
    assert "other digits or spaces" in compare_svg(stored, spaced)
    assert "not drawn must stay" in compare_svg(draw(""), computed)


def test_the_sentence_names_the_place(figure, svg):
    difference = compare_svg(svg, figure(color="#ff0000"))
    assert re.fullmatch(
        r"at axes_1/line2d_\d+/path: "
        r'stroke stored as "#0072b2", computed as "#ff0000"',
        difference,
    )


def test_the_sentence_quotes_the_whole_of_what_is_no_path():
    texts = (f"<g>{'<text>' * 2}Layer {x}</text></text></g>" for x in "12")
    difference = compare_svg(*map(draw, texts))
    assert difference == (
        'at g/text/text: text stored as "Layer 1", computed as "Layer 2"'
    )


def test_the_sentence_names_a_missing_element():
    one, two = draw('<g id="bars"><rect/></g>'), draw('<g id="bars"/>')
    place = "at svg/bars/rect: this element is missing in"
    assert compare_svg(one, two) == f"{place} the computed figure"
    assert compare_svg(two, one) == f"{place} the stored figure"


def test_the_sentence_quotes_the_command_of_a_path_that_differs():
    paths = ["M 1 1\n" + "L 2 2\n" * 50 + f"L {x} 3\nz" for x in (4, 5)]
    paths[0] = paths[0].replace("L 2 2", "L 2.01 2", 1)
    difference = compare_svg(*[draw(f'<path d="{d}"/>') for d in paths])
    assert difference.endswith('d stored as "L 4 3", computed as "L 5 3"')
