"""Each formula and number of a fact card says what the package computes."""

import re
from pathlib import Path

from card_bindings import CITED, SIZES, names, values
from formula_bindings import Draw

from bookkit.book.files import find_root
from bookkit.checking.facts import facts, some
from bookkit.checking.formulas import Binding, refutation
from bookkit.checking.formulas.record import tampered
from bookkit.publishing.appendix.cards import INLINE, TOLD, is_label, read_cards

ALL = read_cards(find_root(Path(__file__)))
NAMES, VALUES = names(Draw("cards")), values()
LETTERS = {"t": range(1, 4), "s": range(1, 4)}
# What computes nothing: a letter with its index, the name of a function, zero and one.
_LETTER = r"(?:\\mathbf\{\w\}|\\[a-zA-Z]+|[a-zA-Z])"
SYMBOL = re.compile(rf"-?{_LETTER}(?:_(?:\w|\{{\\mathrm\{{\w+\}}\}}|\{{\w+\}}))?|[01]")
# Digits that belong to a name.
NAMED = re.compile(
    r"(?:Llama|Gemma|Mistral|Mixtral) [\dx]+B?(?: \d+B)?|T5(?: 1\.1)?|[A-Za-z]+-V?\d+"
    r"|SmolLM2|2017|b?float\d+|16 bits"
)
# Changes that leave true what they change: of a side that stands alone, and of an index
# of what has a shape.
SAME, SAME_SHAPE = re.compile("a side"), re.compile("a side|index")


def computed(name):
    """Map what a card computes to the field that says it."""
    card = ALL[name]
    own = {one: "formula" for one in card["formula"] if not is_label(one)}
    inline = {one: field for field in TOLD for one in INLINE.findall(card[field])}
    return own | {
        one: field for one, field in inline.items() if not SYMBOL.fullmatch(one)
    }


def statements(latex, value):
    """Cut a formula where several parts have one shape, or one value."""
    if r" \in \mathbb{R}" in latex:
        inside, space = latex.split(r" \in ")
        return [rf"{one} \in {space}" for one in inside.split(", ")]
    whole = value is None or isinstance(value, Binding)
    return [latex] if whole else latex.split("=")


def fault(name, latex, changed=None):
    """Say why a formula of a card, or a changed one, does not hold."""
    value = VALUES.get(latex)
    if value is CITED:
        return "" if "{cite" in ALL[name][computed(name)[latex]] else "nothing is cited"
    known = SIZES | NAMES.get(name, {})
    letters = {x: run for x, run in LETTERS.items() if x not in known}
    one = Binding(known, letters, values=[] if value is None else [value])
    one = value if isinstance(value, Binding) else one
    said = (refutation(x, one) for x in statements(changed or latex, value))
    return next(filter(None, said), "")


@facts("name", ALL)
def test_what_a_card_computes_holds(name):
    told = {latex: fault(name, latex) for latex in computed(name)}
    assert {latex: said for latex, said in told.items() if said} == {}


@facts("name", ALL)
def test_a_slip_in_what_a_card_computes_is_noticed(name):
    for latex in computed(name):
        same = SAME_SHAPE if r"\mathbb" in latex else SAME
        slips = [one for one in tampered(latex) if not same.search(one.what)]
        cited = VALUES.get(latex) is CITED
        unnoticed = [
            x for x in some(slips, 2) if not (cited or fault(name, latex, x.latex))
        ]
        assert unnoticed == []


@facts("name", ALL)
def test_a_digit_of_a_card_stands_between_dollars(name):
    for field in TOLD[1:-1]:
        words = re.sub(r"`[^`]*`", "", INLINE.sub("", ALL[name][field]))
        assert re.findall(r"\S*\d\S*", NAMED.sub("", words)) == []


def test_nothing_is_bound_that_no_card_says():
    assert VALUES.keys() - {latex for name in ALL for latex in computed(name)} == set()
