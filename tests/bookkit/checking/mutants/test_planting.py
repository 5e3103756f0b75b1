"""A mutant is planted where it belongs, and the nearest tests judge it."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.checking.mutants.planting import nearest_tests, plant, survives_planting

SOURCE = """\
def before(x):
    return x


@decorated
def after(x):

    return x


class Box:
    @property
    def before(self):
        return 7

    def after(self, x):
        '''Say more.

        '''
        if x:

            return x
        return self.before
"""
DIFF = """\
# transformer.masks.x_f: survived
--- src/transformer/masks.py
+++ src/transformer/masks.py
@@ -{start},{length} +{start},{length} @@
"""


def write_diff(start, *lines):
    """Write what mutmut shows of a change."""
    head = DIFF.format(start=start, length=len(lines) - 1)
    return head + "\n".join(lines)


@facts(
    "function, start, lines, old, new",
    [
        ("before", 1, [" def before(x):", "-    return x", "+    return 5"], 2, 5),
        ("after", 2, [" ", "-    return x", "+    return 5"], 8, 5),
        ("after", 3, [" ", "-    return x", "+    return 5"], 8, 5),
        ("Box.after", 6, [" ", "-        return x", "+        return 5"], 22, 5),
        (
            "Box.after",
            4,
            [
                "         '''",
                "     if x:",
                " ",
                "-        return x",
                "+        return 5",
            ],
            22,
            5,
        ),
    ],
)
def test_a_mutant_is_planted_in_its_function(function, start, lines, old, new):
    planted = plant(SOURCE, function, write_diff(start, *lines)).split("\n")
    source = SOURCE.split("\n")
    differing = [n for n, line in enumerate(source, start=1) if line != planted[n - 1]]
    assert differing == [old]
    assert planted[old - 1] == source[old - 1].replace("return x", f"return {new}")


def test_what_does_not_fit_is_refused():
    diff = write_diff(2, "-    return y", "+    return 5")
    with pytest.raises(BookError, match="before must fit its source"):
        plant(SOURCE, "before", diff)
    with pytest.raises(BookError, match="nothing must be in its module"):
        plant(SOURCE, "nothing", diff)


def test_the_nearest_tests_are_those_of_the_folder_or_of_the_module(tmp_path):
    (tmp_path / "tests/layers").mkdir(parents=True)
    assert nearest_tests(tmp_path, "transformer.layers.masks") == ["tests/layers"]
    assert nearest_tests(tmp_path, "transformer.config") == ["tests/test_config.py"]
    assert nearest_tests(tmp_path, "transformer") == ["tests/test_transformer.py"]


@facts(
    "function, old, new, survives",
    [
        ("is_visible", "key <= query", "key < query", False),
        ("describe", '"seen" if', '"heard" if', True),
        ("describe", '"seen" if', "import if", False),  # nothing can be imported
    ],
)
def test_a_planted_mutant_is_judged(planted, function, old, new, survives):
    source = (planted / "code/transformer/masks.py").read_text()
    (line,) = [line for line in source.splitlines() if old in line]
    diff = write_diff(2, f"-{line}", f"+{line.replace(old, new)}")
    assert survives_planting(planted, "transformer.masks", function, diff) is survives
    assert (planted / "code/transformer/masks.py").read_text() == source
