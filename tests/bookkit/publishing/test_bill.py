"""The bill of materials names every package, and what comes in none."""

import json

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing import bill
from bookkit.publishing.bill import BILL, faults_of_bill, make_bill

PAGE = """\
| what | version | license |
| :-- | :-- | :-- |
| [Sphinx Book Theme](https://theme.org) | 1.3.0 | BSD 3-Clause |
| [Noto](https://noto.org), some signs | 2.001 | SIL OFL 1.1, CC BY 4.0 |
"""
THEME = {"name": "sphinx_book_theme", "version": "1.3.0"}
# Stands for the tool: it says what it was asked, and lists one package.
TOOL = """\
#!/bin/sh
echo "$@" > asked
for last; do :; done
echo '{"components": [%s]}' > "$last"
exit %d
"""


@pytest.fixture
def prepare(book, monkeypatch):
    """Stand for the environment of the tool, which ends with the given status."""
    (book / bill.PAGE).write_text(PAGE)
    monkeypatch.chdir(book)

    def tool(status=0):
        def new_environment(folder, python, requirements):
            (folder / "bin").mkdir(parents=True)
            program = folder / "bin/cyclonedx-py"
            program.write_text(TOOL % (json.dumps(THEME), status))
            program.chmod(0o755)
            assert requirements == book / "constraints/bill.txt"

        monkeypatch.setattr(bill, "new_environment", new_environment)

    return tool


def test_what_comes_in_no_package_is_added_once(book, prepare):
    prepare()
    made = make_bill(book, "/env/python")
    assert made == book / BILL
    theme, font = json.loads(made.read_text("utf-8"))["components"]
    assert (book / "asked").read_text().startswith("environment /env/python --pyproj")
    assert theme == THEME
    assert (font["name"], font["version"]) == ("Noto", "2.001")
    assert font["licenses"] == [{"license": {"name": "SIL OFL 1.1, CC BY 4.0"}}]
    assert font["externalReferences"][0]["url"] == "https://noto.org"


def test_a_tool_that_fails_is_an_error(book, prepare):
    prepare(status=1)
    with pytest.raises(
        BookError, match="must list the packages of python9, and does n"
    ):
        make_bill(book, "python9")


@facts(
    "name, version, faults",
    [
        ("A_b", "1.0", []),
        ("a-b", "1.0+cpu", []),
        ("a-b", "1.0.1", ["bill lacks a.b 1.0"]),
        ("other", "1.0", ["bill lacks a.b 1.0"]),
    ],
)
def test_a_version_that_is_missing_is_named(tmp_path, name, version, faults):
    listed = {"components": [{"name": name, "version": version}]}
    (tmp_path / "bill").write_text(json.dumps(listed))
    assert faults_of_bill(tmp_path / "bill", {"a.b": "1.0"}) == faults


@facts("text", [None, "", "{", "[]", "{}", '{"components": [{}]}'])
def test_a_file_that_is_no_bill_is_named(tmp_path, text):
    if text is not None:
        (tmp_path / "bill").write_text(text)
    assert faults_of_bill(tmp_path / "bill", {}) == ["bill is no bill of materials"]
