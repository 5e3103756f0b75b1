"""Many values of one fact are one test, which names the values it fails for."""

import pytest

from bookkit.checking.facts import facts

pytest_plugins = ["pytester"]
SETTINGS = "[pytest]\naddopts = -p bookkit.checking.facts -p no:cacheprovider\n"
BEGIN = """\
import os
import torch

import pytest
from bookkit.checking.facts import facts

"""


@pytest.fixture
def run(pytester):
    """Run a test with the decorator; return how it ends and what is said of it."""
    pytester.makeini(SETTINGS)

    def run(test, *options):
        pytester.makepyfile(test_it=f"{BEGIN}\n{test}")
        done = pytester.runpytest_inprocess("-rfs", "-p", "no:randomly", *options)
        return done.parseoutcomes(), done.stdout.str()

    return run


def test_a_value_that_fails_is_named_and_the_others_go_on(run):
    outcomes, said = run(
        "@facts('x', [1, 2, 3, 4])\n"
        "def test_small(x):\n    print(f'seen {x};')\n    assert x not in (2, 3)"
    )
    assert outcomes["failed"] == 3  # two values, and the test that looked at them
    assert all(f"[{x}] test_it.py::test_small" in said for x in "23")
    assert not any(f"[{x}] test_it.py::test_small" in said for x in "14")
    assert "seen 4;" in said


def test_a_name_may_be_given(run):
    _, said = run(
        "@facts('x', [1, pytest.param(2, id='own')], ids={'first': 0, 'unused': 1})\n"
        "def test_none(x):\n    assert not x\n\n\n"
        "@facts('x', [3], ids=lambda x: f'three is {x}')\n"
        "def test_function(x):\n    assert not x"
    )
    for name in ("first", "own", "three is 3"):
        assert f"[{name}] test_it.py::test_" in said


def test_two_decorators_stand_for_all_pairs(run):
    outcomes, said = run(
        "@facts('x', [2, 3])\n@facts('y, z', [(5, 7), (11, 13)])\n"
        "def test_pairs(x, y, z):\n    print(f'seen {x} {y} {z};')\n"
        "    assert (x, y) != (3, 11)"
    )
    assert outcomes["failed"] == 2
    assert "[3-11-13] test_it.py::test_pairs" in said
    seen = {f"seen {x} {yz};" for x in (2, 3) for yz in ("5 7", "11 13")}
    assert all(said.count(line) == 1 for line in seen)


def test_each_value_has_a_folder_an_environment_and_an_output_of_its_own(run):
    outcomes, said = run(
        "@facts('x', [2, 3, 5])\n"
        "def test_fresh(x, tmp_path, monkeypatch, capsys):\n"
        "    assert list(tmp_path.iterdir()) == []\n"
        "    assert 'OF_A_FACT' not in os.environ\n"
        "    (tmp_path / 'left').touch()\n"
        "    monkeypatch.setenv('OF_A_FACT', 'set')\n"
        "    print(x)\n"
        "    assert capsys.readouterr().out == f'{x}\\n'\n"
        "    print('left')"
    )
    assert outcomes == {"passed": 1}, said


def test_each_value_draws_the_same_numbers(run):
    outcomes, said = run(
        "@pytest.fixture\ndef first():\n    return torch.rand(1)\n\n\n"
        "DRAWN = set()\n\n\n"
        "@facts('x', [2, 3, 5])\ndef test_alike(first, x):\n"
        "    DRAWN.add(torch.rand(1).item())\n"
        "    assert len(DRAWN) == 1 and first not in DRAWN"
    )
    assert outcomes == {"passed": 1}, said


def test_other_fixtures_are_those_of_the_test(run):
    outcomes, said = run(
        "@pytest.fixture\ndef made():\n    return []\n\n\n"
        "@facts('x', [0, 1, 2])\ndef test_shared(made, request, x):\n"
        "    made.append(x)\n    assert made == list(range(x + 1))\n"
        "    assert request.node.name == 'test_shared'"
    )
    assert outcomes == {"passed": 1}, said


def test_a_time_limit_ends_the_test(run):
    outcomes, said = run(
        "@facts('x', [2, 3, 5])\ndef test_slow(x):\n    print(f'seen {x};')\n"
        "    if x == 3:\n        pytest.fail('Timeout (>1.0s) from pytest-timeout.')"
    )
    assert outcomes["failed"] == 1
    assert "seen 3;" in said
    assert "seen 5;" not in said


def test_a_value_that_is_skipped_is_told_and_the_others_go_on(run):
    outcomes, said = run(
        "@facts('x', [2, 3, 5])\ndef test_some(x):\n    print(f'seen {x};')\n"
        "    if x == 3:\n        pytest.skip('no three here')\n    assert x != 5\n\n\n"
        "def test_whole():\n    pytest.skip('none of it')"
    )
    assert "A fact was skipped: test_it.py::test_some [3]: no three here" in said
    assert outcomes["failed"] == 2
    assert "[2] test_it.py::test_some" not in said
    assert "[5] test_it.py::test_some" in said


def test_what_makes_no_fact_is_refused():
    with pytest.raises(ValueError, match="at least one, got none"):
        facts("x", [])
    with pytest.raises(ValueError, match=r"must give x, y .* got \(2,\)"):
        facts("x, y", [(2,)])
    with pytest.raises(ValueError, match="have no marks"):
        facts("x", [pytest.param(2, marks=pytest.mark.skip)])
    with pytest.raises(ValueError, match="must take y"):
        facts("y", [2])(lambda x: x)
