"""A figure is printed smaller where it then stands on the page it would leave."""

import pytest
from lxml import html

from bookkit.publishing.edition.fitting import HEIGHT, fit_figures, frame_figures

FIGURE = '<div class="cell"><div><figure><img></figure></div></div>'
PAGE = f'<body><section class="bd-article">{FIGURE}{FIGURE}</section></body>'
NEXT = {"top-2": (3, 100.0), "end-2": (3, 300.0)}


@pytest.fixture
def body():
    tree = html.document_fromstring(PAGE).body
    frame_figures(tree)
    return tree


def sizes(body):
    return [figure.get("data-size") for figure in body.iter("figure")]


def moved(room, height):
    """Places of a figure that went to the next page, leaving so much room."""
    return NEXT | {"top-1": (1, HEIGHT - room), "end-1": (2, height)}


def test_a_figure_fits_into_the_room_that_it_left(body):
    assert fit_figures(body, moved(room=260, height=300))
    (size, other) = sizes(body)
    assert float(size) * 300 <= 260 <= float(size) * 310
    assert other is None


@pytest.mark.parametrize(
    ("room", "height"),
    [(100, 110), (200, 300), (310, 300), (310, 0)],
    ids=["hardly a gap", "too large", "moved by something else", "at the foot"],
)
def test_other_figures_stay_as_they_are(body, room, height):
    assert not fit_figures(body, moved(room, height))
    assert sizes(body) == [None, None]


def test_a_figure_on_the_page_of_its_text_stays_as_it_is(body):
    assert not fit_figures(body, NEXT | {"top-1": (1, 500.0), "end-1": (1, 700.0)})


def test_a_second_figure_of_a_chapter_waits_for_the_first(body):
    second = {"top-2": (2, HEIGHT - 260), "end-2": (3, 300.0)}
    assert fit_figures(body, moved(room=260, height=300) | second)
    assert sizes(body)[1] is None
    still = {"top-1": (1, 10.0), "end-1": (1, 200.0)} | second
    assert fit_figures(body, still)
    assert sizes(body)[1] is not None


def test_what_is_still_too_large_becomes_smaller_once_more(body):
    fit_figures(body, moved(room=280, height=300))
    first = float(sizes(body)[0])
    assert fit_figures(body, moved(room=280, height=285))
    assert float(sizes(body)[0]) < first
