"""What changed in the package is found, whatever git knows of it so far."""

import subprocess

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.maps.changes import changed_files, changed_objects

MODULE = """\
import math

__all__ = ["first"]
IGNORED = -100
TABLE = {
    "a": math.sin,
    "b": math.cos,
}
ONE, TWO = 1, 2


def first():
    return 1


@staticmethod
def second():
    return 2


class Third:
    def method(self):
        return 3
"""
SMALL = "transformer.layers.small"
PATH = "code/transformer/layers/small.py"


@pytest.fixture
def root(tmp_path):
    """The folder of the repository, which the facts of a test share."""
    return tmp_path


@pytest.fixture
def git(tmp_path):
    """A repository with one module of the package, and a way to speak to git."""

    def speak(*words):
        named = ["-c", "user.name=A", "-c", "user.email=a@b.org"]
        subprocess.run(["git", *named, *words], cwd=tmp_path, check=True)

    write(tmp_path, PATH, MODULE)
    speak("init", "-q", "-b", "main")
    speak("add", ".")
    speak("commit", "-qm", "first")
    return speak


def write(root, file, text):
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)


@facts(
    "before, after, objects",
    [
        ("return 1", "return 5", ["first"]),
        ("@staticmethod\n", "@other\n", ["second"]),
        ("        return 3\n", "        return 4\n", ["Third"]),
        ("import math\n", "import cmath\n", []),
        ('["first"]', '["first", "second"]', []),
        ("return 2", "return 2\n\n\ndef new():\n    pass", ["new"]),
        ("    return 1\n", "    x = 1\n    return x\n", ["first"]),
        ("-100", "-101", ["IGNORED"]),
        ("math.cos", "math.tan", ["TABLE"]),
        ("1, 2", "1, 3", ["ONE", "TWO"]),
        ("ONE, TWO = 1, 2", "ONE: int = 2", ["ONE"]),
    ],
)
def test_the_object_of_a_changed_line_is_named(root, git, before, after, objects):
    write(root, PATH, MODULE.replace(before, after))
    found = changed_objects(root, "HEAD")
    assert found == [f"{SMALL}:{name}" for name in objects]


def test_no_setting_of_git_hides_a_change(git, tmp_path):
    for name, value in [
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
        ("diff.external", "true"),
    ]:
        git("config", name, value)
    write(tmp_path, PATH, MODULE.replace("-100", "-101"))
    assert changed_objects(tmp_path, "HEAD") == [f"{SMALL}:IGNORED"]


def test_all_of_a_file_that_git_does_not_know_is_new(git, tmp_path):
    write(tmp_path, ".gitignore", "ignored.py")
    write(tmp_path, "code/transformer/data/new/deep.py", "import math\n\n\nA = 1")
    write(tmp_path, "code/transformer/data/ignored.py", "B = 1")
    write(tmp_path, "code/transformer/data/words.txt", "no code")
    write(tmp_path, "code/chapters/rotary/new.js", "let a")
    assert changed_objects(tmp_path, "HEAD") == ["transformer.data.new.deep:A"]
    assert changed_files(tmp_path, "HEAD") == ["code/chapters/rotary/new.js"]


def test_what_was_committed_counts_from_the_commit_that_is_given(git, tmp_path):
    write(tmp_path, PATH, MODULE.replace("return 2", "return 5"))
    write(tmp_path, "code/chapters/rotary/figures.py", "A = 1")
    git("add", ".")
    git("commit", "-qm", "second")
    assert changed_objects(tmp_path, "HEAD") == changed_files(tmp_path, "HEAD") == []
    assert changed_objects(tmp_path, "HEAD~") == [f"{SMALL}:second"]
    assert changed_files(tmp_path, "HEAD~") == ["code/chapters/rotary/figures.py"]


def test_a_file_that_is_no_python_is_named_with_the_line(git, tmp_path):
    write(tmp_path, PATH, MODULE.replace("def first()", "def first("))
    with pytest.raises(BookError, match=rf"^{PATH}, line 12 must be Python, and is no"):
        changed_objects(tmp_path, "HEAD")
