"""Entries are named by authors and year, and found by their addresses."""

import pytest

from bookkit.book.bibliography import cite_entries, parse_bibliography
from bookkit.book.errors import BookError
from bookkit.checking.facts import facts

ENTRIES = """
@misc{one, author={Press, Ofir}, title={A}, year={2022}, doi={10.1000/a(1)b}}
@misc{two, author={de Jong, Michiel and Le Scao, Teven}, title={B}, year={2023}}
@misc{many, author={Su, J. and Lu, Y. and Pan, S.}, title={C}, year={2024},
  url={https://example.org}, doi={10.1000/c}, eprint={2104.09864}}
@misc{more, author={Zhao, Yanli and others}, title={D}, year={2023}}
@misc{first, author={Chen, Shouyuan and B. and C.}, title={E}, year={2023}}
@misc{second, author={Chen, Charlie and B. and C.}, title={F}, year={2023}}
@misc{group, author={{OpenAI}}, title={G}, year={2023}}
"""


@pytest.fixture(scope="module")
def entries():
    return cite_entries(parse_bibliography(ENTRIES))


@facts(
    "key, words",
    [
        ("one", "Press (2022)"),
        ("two", "de Jong and Le Scao (2023)"),
        ("many", "Su et al. (2024)"),
        ("more", "Zhao et al. (2023)"),
        ("group", "OpenAI (2023)"),
    ],
)
def test_one_or_two_authors_are_named_and_more_are_others(entries, key, words):
    assert entries[key].textual == words
    assert entries[key].parenthetical == words.replace(" (", ", ").rstrip(")")


def test_same_names_and_year_get_letters_in_the_order_of_the_page(entries):
    assert entries["second"].textual == "Chen et al. (2023a)"
    assert entries["first"].textual == "Chen et al. (2023b)"


def test_the_open_archive_comes_before_the_publisher(entries):
    assert entries["many"].addresses == (
        "https://arxiv.org/abs/2104.09864",
        "https://doi.org/10.1000/c",
        "https://example.org",
    )


def test_brackets_in_an_address_do_not_end_a_link(entries):
    assert entries["one"].address == "https://doi.org/10.1000/a%281%29b"


def test_what_is_no_bibtex_is_a_fault():
    with pytest.raises(BookError, match=r"^book/references.bib must be BibTeX: "):
        parse_bibliography("@misc{a, title=")
