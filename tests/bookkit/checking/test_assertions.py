"""An assertion that nothing refutes is told from one that can fail."""

from bookkit.checking.assertions import changed_values, needed_before
from bookkit.checking.facts import facts


def refuted(source, **names):
    """Say of each assertion whether another value refutes it."""
    return [
        any(fails(version, names) for version in versions)
        for versions in changed_values(source)
    ]


def fails(assertion, names):
    """Say whether an assertion fails, given the values of names."""
    try:
        exec(assertion, dict(names))
    except AssertionError:
        return True
    return False


@facts(
    "source", ["assert a < b", "assert 0 < a", "assert a == 1, a", "assert a + a == 2"]
)
def test_an_assertion_about_a_value_can_fail(source):
    assert refuted(source, a=1, b=2) == [True]


@facts(
    "source",
    ["assert a == a", "assert a is not None", "assert a * 0 == 0 * a", "assert f()"],
)
def test_an_assertion_that_holds_for_all_values_is_told(source):
    assert refuted(source, a=1, f=lambda: 1) == [False]


def test_only_what_a_cell_needs_is_taken_from_earlier_cells():
    defined = "def f(x):\n    return math.sqrt(y)"
    cells = ["import math\nheavy()\ny = heavy()", "y = 4\nz = 5", defined]

    taken = needed_before("assert f(2) == 2", cells)

    assert taken == f"import math\ny = 4\n{defined}"
