"""The page says with which versions of others' work the site is shipped."""

import re
from hashlib import sha256
from importlib.metadata import distribution, version
from importlib.resources import files
from pathlib import Path

from fontTools.ttLib import TTFont

from bookkit.book.files import find_root
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
STATIC = ROOT / "book/_static"
PAGE = (ROOT / "book/using_this_book.md").read_text("utf-8")
_ROW = re.compile(r"^\| \[([^\]]+)\][^|]*\| ([\d., ]+) \|", re.M)
ROWS = dict(_ROW.findall(PAGE))
PACKAGES = [
    "Sphinx Book Theme",
    "PyData Sphinx Theme",
    "Sphinx",
    "MyST-NB",
    "Pygments",
    "sphinx-copybutton",
    "sphinx-design",
    "sphinx-togglebutton",
    "sphinx-exercise",
    "sphinx-proof",
]
# MiniSearch does not say its version: that of the file whose digest this is.
MINISEARCH = "4e02b9fa52f244c377d737c7d06cda6bce967d137254e8532d6c79f68469bef3"


def find(pattern: str, text: str) -> str:
    """Return the version that a text states."""
    return re.search(pattern, text)[1]


def of_theme(name: str) -> str:
    """Read a file that the theme ships."""
    theme = files("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static"
    return (theme / name).read_text("utf-8")


@facts("name", PACKAGES)
def test_versions_of_packages_are_those_installed(name):
    assert ROWS[name].split(", ")[0] == version(name.replace(" ", "-"))


def test_versions_within_the_theme_are_its_own():
    scripts = of_theme("scripts/bootstrap.js.LICENSE.txt")
    styles = of_theme("styles/pydata-sphinx-theme.css")
    assert ROWS["Bootstrap"] == find(r"Bootstrap v([\d.]+)", scripts)
    assert ROWS["Font Awesome Free"] == find(r"Font Awesome Free ([\d.]+)", styles)


def test_version_of_clipboard_is_that_of_the_copy_button():
    folder = distribution("sphinx-copybutton").locate_file("sphinx_copybutton")
    script = (Path(folder) / "_static/clipboard.min.js").read_text("utf-8")
    assert ROWS["sphinx-copybutton"].endswith(find(r"clipboard\.js v([\d.]+)", script))


def test_versions_of_what_lies_in_the_repository_are_those_of_the_files():
    katex = (STATIC / "katex/katex.min.css").read_text("utf-8")
    assert ROWS["KaTeX"] == find(r'version:after\{content:"([\d.]+)"', katex)
    fonts = {
        "Noto Serif CJK SC": STATIC / "chinese/chinese.woff",
        "TeX Gyre Schola Math": ROOT / "book/_editions/formulas.woff",
    }
    for name, file in fonts.items():
        said = TTFont(file)["name"].getDebugName(5)
        assert ROWS[name] == find(r"Version ([\d.]+)", said)
    assert ROWS["MiniSearch"] == "7.2.0"
    minisearch = STATIC / "search/minisearch.js"
    assert sha256(minisearch.read_bytes()).hexdigest() == MINISEARCH


def test_nothing_else_stands_in_the_table():
    others = {"Bootstrap", "Font Awesome Free", "KaTeX", "MiniSearch"}
    fonts = {"Noto Serif CJK SC", "TeX Gyre Schola Math"}
    assert set(ROWS) == {*PACKAGES, *others, *fonts}
