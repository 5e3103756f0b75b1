"""A patch that is faulty is refused before it is planted."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.mutants.patches import apply, read_patches

INDEX = "tests/mutants/patches.toml"
PATCH = "tests/mutants/patches/hides_itself.patch"
MASKS = "code/transformer/masks.py"


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_patches_are_read_in_the_order_of_their_index(planted):
    patches = read_patches(planted)
    assert [patch.name for patch in patches] == ["hides_itself", "words_swapped"]
    assert patches[0].wrong == "No position sees itself."
    assert patches[0].files == [MASKS]


def test_a_pattern_chooses(planted):
    assert [patch.name for patch in read_patches(planted, "words*")] == [
        "words_swapped"
    ]


def test_a_name_that_no_patch_has_is_refused(planted):
    with pytest.raises(BookError, match=r"got 'rotary'; .* lists the names"):
        read_patches(planted, "rotary")


def test_a_file_without_an_entry_is_named(planted):
    (planted / "tests/mutants/patches/stray.patch").touch()
    with pytest.raises(BookError, match="differ in stray; add what is missing"):
        read_patches(planted)


def test_an_entry_that_lacks_something_is_named(planted):
    replace(planted / INDEX, 'wrong = "No position sees itself."\n', "")
    words = "hides_itself of .* must say tests, wrong, that of .* and says chapters"
    with pytest.raises(BookError, match=words):
        read_patches(planted)


def test_a_bug_by_meaning_names_no_chapters(planted):
    both = 'itself."\nchapters = ["book/part/chapter.ipynb"]\n'
    replace(planted / INDEX, both, 'itself."\n')
    assert [patch.kind for patch in read_patches(planted)] == ["meaning", "classic"]
    [patch] = read_patches(planted, kind="meaning")
    assert (patch.name, patch.chapters) == ("hides_itself", ())
    [patch] = read_patches(planted, kind="classic")
    assert patch.name == "words_swapped"


def test_a_test_that_is_not_there_is_named(planted):
    replace(planted / INDEX, "tests/test_masks.py", "tests/test_gone.py")
    with pytest.raises(BookError, match=r"and tests/test_gone\.py is not there"):
        read_patches(planted)


def test_a_patch_of_something_else_is_refused(planted):
    replace(planted / PATCH, MASKS, "tests/test_masks.py")
    words = r"must change files of code/transformer/, and changes tests/test_masks\.py"
    with pytest.raises(BookError, match=words):
        read_patches(planted)


def test_a_patch_is_applied_and_taken_back(planted):
    before = (planted / MASKS).read_text()
    [patch] = read_patches(planted, "hides*")
    apply(patch, planted)
    assert (planted / MASKS).read_text() == before.replace("<=", "<")
    apply(patch, planted, reverse=True)
    assert (planted / MASKS).read_text() == before


def test_a_stale_patch_is_refused(planted):
    [patch] = read_patches(planted, "hides*")
    replace(planted / MASKS, "key <= query", "query >= key")
    with pytest.raises(BookError, match="must apply to the package as it is"):
        apply(patch, planted)


def test_a_patch_that_leaves_no_python_is_refused(planted):
    replace(planted / PATCH, "key < query", "key < ")
    [patch] = read_patches(planted, "hides*")
    with pytest.raises(BookError, match="has a fault in line 2: invalid syntax"):
        apply(patch, planted)


def test_a_machine_without_git_is_told(planted, monkeypatch):
    monkeypatch.setenv("PATH", "")
    [patch] = read_patches(planted, "hides*")
    with pytest.raises(BookError, match="applied by git, and it is missing"):
        apply(patch, planted)
