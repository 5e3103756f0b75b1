"""The numbers that links name are those that the site prints."""

import re
from urllib.parse import unquote, urlsplit

import page_files

KINDS = "Figure|Theorem|Lemma|Corollary|Proposition|Property|Definition|Exercise"
NUMBER = re.compile(rf"(?:{KINDS}) \d+(?:\.\d+)*|\(\d+(?:\.\d+)*\)")


def read_number(target):
    """Read the number that a page prints at a figure, a box or an equation."""
    shown = target.find(class_="caption-number") or target.find(class_="eqno")
    return shown.find(string=True).strip() if shown else None


def find_wrong_numbers(site, path):
    """List the links of a page that name another number than their target shows."""
    wrong = []
    for link in page_files.parse(site / path).find_all("a", class_="internal"):
        words, parts = link.get_text().strip(), urlsplit(link.get("href", ""))
        if not NUMBER.fullmatch(words) or not parts.fragment:
            continue
        page = (site / path).parent / unquote(parts.path) if parts.path else site / path
        target = page_files.parse(page).find(id=unquote(parts.fragment))
        shown = read_number(target) if target else "nothing"
        if shown != words:
            wrong.append((words, link["href"], shown))
    return wrong


def test_links_name_the_numbers_of_their_targets(site, path):
    assert find_wrong_numbers(site, path) == []


def test_no_number_is_printed_twice(site, path):
    marks = re.compile(rf"^(?:{KINDS}) \d+(?:\.\d+)*\.$")
    found = page_files.parse(site / path).find_all("strong", string=marks)
    assert [mark.get_text() for mark in found] == []


def test_a_wrong_number_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a class="internal" href="#thm-a">Theorem 1.2</a>'
        '<div id="thm-a"><span class="caption-number">Theorem 1.1 </span></div>'
    )
    assert find_wrong_numbers(tmp_path, "a.html") == [
        ("Theorem 1.2", "#thm-a", "Theorem 1.1")
    ]
