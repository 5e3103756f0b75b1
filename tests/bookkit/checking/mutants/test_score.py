"""A score counts what was noticed, and gives a reason for what was not."""

import json

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.mutants import score
from bookkit.checking.mutants.score import (
    FIRST,
    STATISTICS,
    read_equivalents,
    summary,
    words,
)

FUNCTION = "transformer.layers.masks.x_f"
KILLED, STUCK, LIVES, SAME = (f"{FUNCTION}__mutmut_{number}" for number in range(1, 5))
FOUND = {KILLED: "killed", STUCK: "timeout", LIVES: "survived", SAME: "survived"}
DIFF = """\
--- a/masks.py
+++ b/masks.py
@@ -1,2 +1,2 @@
 def f(x):
-    return {}
+    return {}
"""
DIFFS = {LIVES: DIFF.format("x + 1", "x - 1"), SAME: DIFF.format("x or 0", "x or 0.0")}
REASON = {
    "function": "transformer.layers.masks:f",
    "was": "return x or 0",
    "became": "return x or 0.0",
    "why": "Both are zero.",
}
ENTRY = "[[mutant]]\n" + "\n".join(f'{key} = "{text}"' for key, text in REASON.items())


def test_the_words_name_what_survived_without_a_reason():
    first, last = words(summary(FOUND, DIFFS, [REASON])).splitlines()
    assert first == f"{LIVES} (survived): return x + 1  ->  return x - 1"
    assert last.startswith("2 of 3 mutants caught, 1 more are no mistakes;")


class FakeWorkshop:
    """mutmut, to which tests of three seconds and of an hour are known."""

    def __init__(self, root):
        self.results, self.runs, self.found = root, [], dict(FOUND)
        statistics = {
            "tests_by_mangled_function_name": {FUNCTION: ["near", "far"]},
            "duration_by_test": {"near": 3.0, "far": 3600.0},
        }
        (root / STATISTICS).write_text(json.dumps(statistics))

    def mutmut(self, command, *names, shown=False):
        if command == "run" and names != (FIRST,):
            statistics = json.loads((self.results / STATISTICS).read_text())
            tests = statistics["tests_by_mangled_function_name"][FUNCTION]
            self.runs.append((names, tests))
            # The far test alone notices one of them, and nobody the other.
            caught = {STUCK, LIVES} if "far" in tests else {STUCK}
            self.found |= {n: "killed" if n in caught else "survived" for n in names}
        if command == "show":
            return DIFFS[names[0]]
        return "\n".join(f"    {name}: {status}" for name, status in self.found.items())


@pytest.fixture
def workshop(tmp_path, write, monkeypatch):
    write(tmp_path / "tests/mutants/equivalent.toml", ENTRY)
    (tmp_path / "book/appendix/data").mkdir(parents=True)
    workshop = FakeWorkshop(tmp_path)
    monkeypatch.setattr(score, "Workshop", lambda _: workshop)
    return workshop


def test_what_the_near_tests_let_pass_for_no_reason_is_shown_to_all(tmp_path, workshop):
    said = []
    score.measure(tmp_path, size=None, seed=0, report=said.append)
    (first, near), (second, far) = workshop.runs
    assert (set(first), near) == ({STUCK, LIVES, SAME}, ["near"])
    assert (second, far) == ((LIVES,), ["near", "far"])  # the other has a reason
    record = json.loads((tmp_path / score.FILE).read_text())
    assert (record["planted"], record["caught"], record["timeouts"]) == (3, 3, 0)
    assert (record["all"], record["equivalent"]) == (4, 1)
    assert [(row["mutant"], row["status"]) for row in record["survivors"]] == [
        (SAME, "survived")
    ]
    assert said[0].startswith("3 of 3 mutants caught, 1 more are no mistakes;")


@pytest.mark.parametrize("survives", [True, False])
def test_what_all_let_pass_is_planted_for_good(
    survives, tmp_path, workshop, monkeypatch
):
    planted = []
    (tmp_path / "tests/mutants/equivalent.toml").write_text("")
    monkeypatch.setattr(
        score, "survives_planting", lambda *given: planted.append(given) or survives
    )
    score.measure(tmp_path, size=None, seed=0, report=lambda _: None)
    assert planted == [(tmp_path, "transformer.layers.masks", "f", DIFFS[SAME])]
    record = json.loads((tmp_path / score.FILE).read_text())
    assert record["caught"] == (3 if survives else 4)
    assert [row["mutant"] for row in record["survivors"]] == [SAME] * survives


def test_a_reason_that_lacks_something_is_refused(tmp_path, write):
    write(tmp_path / "tests/mutants/equivalent.toml", ENTRY.replace("why", "reason"))
    with pytest.raises(BookError, match="must say became, function, was, why"):
        read_equivalents(tmp_path)
