"""What changed in the package is named with the chapters that show or rest on it."""

import subprocess
from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.publishing.maps import affected as maps
from bookkit.publishing.maps.affected import affected, changed_objects, dependents
from bookkit.publishing.maps.atlas import read_atlas

ROOT = find_root(Path(__file__))
MODULE = """\
import math


def first():
    return 1


@staticmethod
def second():
    return 2


class Third:
    def method(self):
        return 3
"""


@pytest.fixture
def repository(tmp_path):
    """A repository with one module of the package, and a way to change it."""
    path = tmp_path / "code" / "transformer" / "layers" / "small.py"
    path.parent.mkdir(parents=True)
    path.write_text(MODULE)
    for words in (["init", "-q"], ["add", "."], [*NAMED, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)

    def change(before, after):
        path.write_text(MODULE.replace(before, after))
        said = subprocess.run(
            ["git", "diff", "--unified=0", "HEAD"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return changed_objects(said, tmp_path)

    return change


NAMED = ["-c", "user.name=A", "-c", "user.email=a@b.org"]
SMALL = "transformer.layers.small"


@pytest.mark.parametrize(
    ("before", "after", "objects"),
    [
        ("return 1", "return 5", ["first"]),
        ("@staticmethod\n", "@other\n", ["second"]),
        ("        return 3\n", "        return 4\n", ["Third"]),
        ("import math\n", "import cmath\n", []),
        ("return 2", "return 2\n\n\ndef new():\n    pass", ["new"]),
        ("    return 1\n", "    x = 1\n    return x\n", ["first"]),
    ],
)
def test_the_object_of_a_changed_line_is_named(repository, before, after, objects):
    assert repository(before, after) == [f"{SMALL}:{name}" for name in objects]


def test_objects_are_known_to_those_that_name_them():
    above = dependents(read_atlas(ROOT).package)
    layer = "transformer.layers.multi_head_attention:MultiHeadAttention"
    assert "transformer.blocks.parts:build_attention" in above[layer]


@pytest.fixture
def changed(monkeypatch):
    """Let git say that an object of the real package has changed."""

    def say(module, line):
        path = f"code/{module.replace('.', '/')}.py"
        lines = (ROOT / path).read_text().splitlines()
        number = next(i for i, text in enumerate(lines, 1) if text.startswith(line))
        said = f"+++ b/{path}\n@@ -{number} +{number} @@\n"
        monkeypatch.setattr(maps, "ask_git", lambda *_: said)
        return affected(ROOT)

    return say


def test_the_chapters_that_show_and_rest_on_a_change_are_named(changed):
    [sentence] = changed("transformer.layers.attention", "def scaled_dot_product")
    shown, rest = sentence.split("; used directly or through others in ")
    assert "book/attention/self_attention.ipynb (run `make draw`)" in shown
    assert "book/attention/multi_head_attention.ipynb" in rest
    assert "book/architecture/one_sentence.ipynb" in rest


def test_without_a_change_nothing_is_said(monkeypatch):
    monkeypatch.setattr(maps, "ask_git", lambda *_: "")
    assert affected(ROOT) == []
