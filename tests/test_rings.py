"""What `make test` leaves to the night is named once, with a reason, and is there."""

import tomllib
from pathlib import Path

from bookkit.publishing.maps.atlas import list_tests

ROOT = Path(__file__).parents[1]
RINGS = tomllib.loads((ROOT / "tests/rings.toml").read_text("utf-8"))
# What may never leave `make test`, whatever it costs.
FIRST = ("tests/laws/", "tests/formulas/")


NAMES = [name for names in RINGS.values() for name in names]


def test_each_is_a_file_or_a_test_that_is_there_and_has_one_reason():
    tests = list_tests(ROOT)
    files = {name.partition("::")[0] for name in tests}
    assert set(NAMES) <= tests | files
    assert len(set(NAMES)) == len(NAMES)
    assert all(len(reason.split()) >= 4 for reason in RINGS)


def test_no_law_and_no_formula_is_among_them():
    assert not [name for name in NAMES if name.startswith(FIRST)]


def test_no_other_place_marks_a_test():
    marked = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if "mark.nightly" in path.read_text("utf-8") and path != Path(__file__)
    ]
    # In the site, also the pages that are opened every night only.
    assert sorted(marked) == ["tests/conftest.py", "tests/site/conftest.py"]
