"""What fails in a copy is listed; what says nothing is no verdict."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.checking.patches import apply, read_patches
from bookkit.checking.planting import copied, failing_tests

MASKS = "code/transformer/masks.py"
TEST = "tests/test_masks.py"


def test_a_copy_leaves_out_what_was_built_and_vanishes(planted, write):
    write(planted / "_build/html/index.html", "")
    write(planted / ".venv/bin/python", "")
    with copied(planted) as copy:
        assert (copy / MASKS).is_file()
        assert not (copy / "_build").exists()
        assert not (copy / ".venv").exists()
    assert not copy.exists()


def test_a_bug_is_noticed_in_the_copy_and_not_planted_in_the_book(planted):
    before = (planted / MASKS).read_bytes()
    with copied(planted) as copy:
        assert failing_tests(copy, [TEST]) == []
        apply(read_patches(planted)[0], copy)
        [failure] = failing_tests(copy, [TEST])
    assert failure.name == f"{TEST}::test_a_position_sees_itself"
    assert not failure.timed_out
    assert (planted / MASKS).read_bytes() == before


def test_a_package_that_cannot_be_imported_is_no_verdict(planted):
    with copied(planted) as copy:
        (copy / MASKS).write_text("raise ImportError('broken')\n")
        with pytest.raises(BookError, match=r"pytest ended with 2: .*broken"):
            failing_tests(copy, [TEST])
        (copy / "tests/conftest.py").write_text("import transformer.masks\n")
        with pytest.raises(BookError, match=r"pytest ended with 4: .*broken"):
            failing_tests(copy, [TEST])


def test_no_tests_are_no_verdict(planted):
    with copied(planted) as copy:
        (copy / TEST).write_text("")
        with pytest.raises(BookError, match="pytest ended with 5"):
            failing_tests(copy, [TEST])


def test_a_fixture_that_raises_has_not_judged(planted):
    fixture = "@pytest.fixture\ndef broken():\n    1 / 0\n"
    test = "def test_it(broken):\n    pass\n"
    with copied(planted) as copy:
        (copy / TEST).write_text(f"import pytest\n\n\n{fixture}\n\n{test}")
        assert failing_tests(copy, [TEST]) == []


WAITS = {
    "pytest": "@pytest.mark.timeout(0.7)\ndef test_it():\n    time.sleep(29)\n",
    "subprocess": "def test_it():\n    subprocess.run(SLEEP, timeout=0.7)\n",
    "nothing": "def test_it():\n    time.sleep(0.7)\n    assert not SLEEP\n",
}


@facts("limit", WAITS)
def test_a_failure_says_how_long_it_took_and_whether_time_was_up(planted, limit):
    sleep = "SLEEP = [sys.executable, '-c', 'import time; time.sleep(29)']"
    imports = "import subprocess\nimport sys\nimport time\n\nimport pytest\n"
    with copied(planted) as copy:
        (copy / TEST).write_text(f"{imports}\n{sleep}\n\n\n{WAITS[limit]}")
        [failure] = failing_tests(copy, [TEST])
    assert failure.timed_out == (limit != "nothing")
    # The clock of a limit starts some milliseconds before that of the report.
    assert failure.seconds >= 0.65
