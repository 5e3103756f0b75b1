"""Cells that hold a phrase are told from those that hold a word or a number."""

from bs4 import BeautifulSoup

PAGE = """# Page

| seed | what came of it |
|---:|:--|
| 17 | a phrase of **nineteen** |
| 89.4 (17.5 to 97.2) | eighteen letters.. |
"""


def test_cells_of_more_than_eighteen_letters_are_phrases(build):
    text, warnings = build(PAGE)
    assert warnings == ""
    cells = BeautifulSoup(text, "html.parser").select("td, th")
    phrases = [cell.get_text() for cell in cells if "phrase" in cell["class"]]
    assert phrases == ["a phrase of nineteen", "89.4 (17.5 to 97.2)"]
