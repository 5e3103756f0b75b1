"""Entries are named by authors and year, and found by their addresses."""

import pytest

from bookkit.book.bibliography import cite_entries, parse_bibliography
from bookkit.book.errors import BookError

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


def test_same_names_and_year_get_letters_in_the_order_of_the_page(entries):
    assert entries["second"].textual == "Chen et al. (2023a)"
    assert entries["first"].textual == "Chen et al. (2023b)"


def test_what_is_no_bibtex_is_a_fault():
    with pytest.raises(BookError, match=r"^book/references.bib must be BibTeX: "):
        parse_bibliography("@misc{a, title=")
