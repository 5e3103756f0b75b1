"""The list of classic bugs stays true to the package as it is."""

import shutil
from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.checking.patches import PATCHED, apply, read_patches
from bookkit.checking.planting import read_verdicts

ROOT = find_root(Path(__file__))
PATCHES = read_patches(ROOT)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package alone."""
    copy = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / PATCHED, copy / PATCHED)
    return copy


def test_there_are_at_least_forty():
    assert len(PATCHES) >= 40


def test_no_two_are_alike():
    assert len({patch.text for patch in PATCHES}) == len(PATCHES)
    assert len({patch.wrong for patch in PATCHES}) == len(PATCHES)


@facts("patch", PATCHES, ids=lambda patch: patch.name)
def test_each_applies_and_leaves_python(patch, package):
    apply(patch, package)
    for file in patch.files:
        compile((package / file).read_text("utf-8"), file, "exec")
    apply(patch, package, reverse=True)
    for file in patch.files:
        assert (package / file).read_bytes() == (ROOT / file).read_bytes()


def test_each_was_planted_and_noticed_by_a_unit_test():
    verdicts = read_verdicts(ROOT)
    assert list(verdicts) == [patch.name for patch in PATCHES]
    assert all(verdict["tests"] > 0 for verdict in verdicts.values())


def test_none_was_noticed_by_a_time_limit():
    verdicts = read_verdicts(ROOT).values()
    assert all(verdict["seconds"] > 0 for verdict in verdicts)
    assert {verdict["timed_out"] for verdict in verdicts} == {False}


def test_the_first_test_on_record_is_still_there():
    for patch, verdict in zip(PATCHES, read_verdicts(ROOT).values(), strict=True):
        file, _, function = verdict["first"].partition("::")
        assert file in patch.tests
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")
