"""Each anchor of a page that was split leads to where that part stands now."""

from pathlib import Path

import yaml
from docutils.nodes import make_id

from bookkit.book.cells import headings, markdown_cells
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.book.prose import anchors
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
MOVED = CONFIG["sphinx"]["config"]["html_context"]["moved"]
# What links from elsewhere may name: each heading, figure, theorem, equation and
# exercise of a page as it was before its split, and a heading with a new name.
OLD = {
    "book/attention/multi_head_attention": """
        deeper-one-weighting-cannot-answer-two-questions
    """,
    "book/architecture/one_sentence": """
        what-a-dictionary-does-not-know looking-backward take-out-one-part
        features-need-no-names two-questions-at-once the-same-wiring-at-any-size
        three-things-to-keep fig-transformer-path
    """,
    "book/normalization/layer_norm": """
        residual-connections-and-layer-normalization equation-eq-layer-norm-residual
        a-sum-around-every-sublayer fig-layer-norm-stacks thm-layer-norm-paths
        equation-eq-layer-norm-paths what-is-lost-without-a-skip fig-layer-norm-alike
        measured-training-with-and-without-skips fig-layer-norm-skips
        one-vector-brought-to-one-scale equation-eq-layer-norm fig-layer-norm-axes
        three-laws thm-layer-norm-invariance equation-eq-layer-norm-invariance
        thm-layer-norm-sphere fig-layer-norm-circle thm-layer-norm-jacobian
        equation-eq-layer-norm-jacobian the-code the-check equation-eq-layer-norm-batch
        the-other-axis-batch-normalization batch-norm-sees-the-future
        thm-layer-norm-causal why-it-helps-is-it-the-shift fig-layer-norm-shift
        is-the-norm-needed-at-all common-errors-each-with-its-proof exercises
        ex-layer-norm-by-hand ex-layer-norm-code ex-layer-norm-fold
        ex-layer-norm-predict summary further-reading
    """,
    "book/architecture/transformer": """
        the-complete-transformer four-modules-and-a-shared-matrix fig-transformer-wiring
        one-sentence-by-hand fig-transformer-path the-same-numbers-from-the-real-class
        the-code equation-eq-transformer-head what-reaches-what thm-transformer-causal
        equation-eq-transformer-parts how-many-parameters-and-where
        thm-transformer-count equation-eq-transformer-count fig-transformer-budgets
        tied-and-scaled thm-transformer-tied how-it-starts thm-transformer-first-loss
        what-is-saved-what-moves-what-learns labels-and-losses
        a-model-that-reads-its-answer fig-transformer-leak common-errors practice-today
        exercises ex-transformer-count ex-transformer-loss ex-transformer-breakdown
        ex-transformer-diagnose summary further-reading
    """,
}
LINKS = [(page, anchor) for page, names in OLD.items() for anchor in names.split()]


def parts(page):
    """Collect the anchors of a page, as the site has them."""
    cells = [cell.source for _, cell in markdown_cells(read_notebook(page))]
    titles = {make_id(title) for text in cells for title in headings(text)}
    labels = {label for text in cells for label in anchors(text)}
    return titles | {f"equation-{x}" if x.startswith("eq-") else x for x in labels}


def now(page, anchor):
    """Return the page and the anchor to which an old address leads."""
    for place, names in MOVED[page].items():
        if anchor in names:
            return place, names[anchor] or anchor
    return page, anchor


@facts("page, anchor", LINKS, ids=lambda part: part)
def test_an_old_address_leads_to_a_part_that_is_there(page, anchor):
    place, name = now(page, anchor)
    assert name in parts(ROOT / f"{place}.ipynb")


@facts("page", sorted(MOVED))
def test_no_part_moves_to_two_places_or_unknown_to_the_list(page):
    names = [name for places in MOVED[page].values() for name in places]
    assert len(names) == len(set(names))
    assert set(names) <= set(OLD[page].split())


@facts("page", sorted(MOVED))
def test_a_page_that_is_still_there_gives_no_part_of_its_own_away(page):
    file = ROOT / f"{page}.ipynb"
    moved = {name for places in MOVED[page].values() for name in places}
    assert not file.is_file() or not moved & parts(file)
