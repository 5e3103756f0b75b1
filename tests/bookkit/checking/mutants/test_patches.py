"""A patch that is faulty is refused before it is planted."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.checking.patches import apply, read_patches

INDEX = "tests/mutants/patches.toml"
PATCH = "tests/mutants/patches/hides_itself.patch"
MASKS = "code/transformer/masks.py"


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_pattern_chooses(planted):
    assert [patch.name for patch in read_patches(planted, "words*")] == [
        "words_swapped"
    ]


def test_a_name_that_no_patch_has_is_refused(planted):
    with pytest.raises(BookError, match=r"got 'rotary'; .* lists the names"):
        read_patches(planted, "rotary")


@facts(
    "file, old, new, words",
    [
        (
            INDEX,
            "[words_swapped]",
            "[stray]",
            "differ in stray, words_swapped; add what is missing",
        ),
        (
            INDEX,
            'wrong = "No position sees itself."\n',
            "",
            "hides_itself of .* must say tests, wrong, that of .* and says chapters",
        ),
        (
            INDEX,
            "tests/test_masks.py",
            "tests/test_gone.py",
            r"and tests/test_gone\.py is not there",
        ),
        (
            PATCH,
            MASKS,
            "tests/test_masks.py",
            "must change files of code/transformer/, and changes tests/test_masks",
        ),
    ],
)
def test_what_is_wrong_with_a_patch_is_named(planted, file, old, new, words):
    before = (planted / file).read_text()
    replace(planted / file, old, new)
    with pytest.raises(BookError, match=words):
        read_patches(planted)
    (planted / file).write_text(before)


def test_a_bug_by_meaning_names_no_chapters(planted):
    both = 'itself."\nchapters = ["book/part/chapter.ipynb"]\n'
    replace(planted / INDEX, both, 'itself."\n')
    assert [patch.kind for patch in read_patches(planted)] == ["meaning", "classic"]
    [patch] = read_patches(planted, kind="meaning")
    assert (patch.name, patch.chapters) == ("hides_itself", ())
    [patch] = read_patches(planted, kind="classic")
    assert patch.name == "words_swapped"


def test_a_stale_patch_is_refused(planted):
    [patch] = read_patches(planted, "hides*")
    replace(planted / MASKS, "key <= query", "query >= key")
    with pytest.raises(BookError, match="must apply to the package as it is"):
        apply(patch, planted)
