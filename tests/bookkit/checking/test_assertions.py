"""An assertion that nothing refutes is told from one that can fail."""

from bookkit.checking.assertions import needed_before


def test_only_what_a_cell_needs_is_taken_from_earlier_cells():
    defined = "def f(x):\n    return math.sqrt(y)"
    cells = ["import math\nheavy()\ny = heavy()", "y = 4\nz = 5", defined]

    taken = needed_before("assert f(2) == 2", cells)

    assert taken == f"import math\ny = 4\n{defined}"
