"""The page of parity and its rows stay true to the tests."""

import ast
from pathlib import Path

import pytest

from bookkit.book.files import find_root, read_toml
from bookkit.checking.facts import facts
from bookkit.checking.parity import rows
from bookkit.publishing.appendix import parity
from bookkit.publishing.appendix.templates import fill
from bookkit.writing.constraints import pins

ROOT = find_root(Path(__file__))
WORDS = read_toml(ROOT, parity.WORDS)


@pytest.fixture(scope="module")
def record():
    """The recorded run: read by a test, since `--write-parity` begins without it."""
    return rows.read(ROOT)


def functions(path):
    """Name the functions of a file of tests."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_row_names_a_test_that_exists(record):
    tests = {row["test"] for row in record["rows"]}
    assert tests
    for test in sorted(tests):
        path, name = test.split("::")
        assert name in functions(path), f"{test} is gone: run `make parity`"


def test_the_recorded_run_had_the_versions_that_the_book_pins(record):
    pinned = pins(ROOT)
    recorded = record["versions"]
    assert recorded == {name: pinned[name] for name in recorded}, "run `make parity`"
    assert set(recorded) == {"torch", "transformers"}


def test_every_row_has_a_place_on_the_page(record):
    assert parity.unplaced(record["rows"], WORDS) == []
    moved = [row | {"test": "tests/a/test_b.py::test_c"} for row in record["rows"][:1]]
    assert parity.unplaced(moved, WORDS) == ["tests/a/test_b.py::test_c"]


def test_every_difference_is_within_its_bound(record):
    for row in record["rows"]:
        for measured in (row[kind] for kind in rows.KINDS if kind in row):
            if measured["rtol"] == 0:
                assert measured["difference"] <= max(measured["atol"], 1e-15), row


def measured(atol, rtol, difference=1e-9):
    return {"atol": atol, "rtol": rtol, "difference": difference, "shape": [3, 5]}


@facts(
    "atol, rtol, expected",
    [
        (1e-12, 0, "10⁻¹²"),
        (2e-6, 0, "2×10⁻⁶"),  # noqa: RUF001
        (0, 1e-5, "10⁻⁵ |x|"),
        (1e-5, 1e-5, "10⁻⁵ (1 + |x|)"),
        (2e-6, 1e-5, "2×10⁻⁶ + 10⁻⁵ |x|"),  # noqa: RUF001
        (0, 0, "equal"),
    ],
)
def test_a_bound_is_written_as_it_is_asserted(atol, rtol, expected):
    written = parity._bound(measured(atol, rtol))
    assert written.replace("\N{NO-BREAK SPACE}", " ") == expected


def test_a_row_shows_names_numbers_and_its_test():
    row = {
        "test": "tests/layers/test_norms.py::test_parity",
        "component": "transformer.layers.norms.RMSNorm.forward",
        "reference": "torch.nn.functional.rms_norm",
        "dtype": "float64",
        "forward": measured(1e-12, 0),
        "gradient": measured(0, 0, difference=0.0),
    }
    assert parity._cells(row, "https://a.org/b/c/blob/main") == [
        "[`RMSNorm.forward`](https://a.org/b/c/blob/main/tests/layers/test_norms.py)",
        "`F.rms_norm`",
        "double",
        "10⁻⁹",
        "equal",
        "10⁻¹²; gradient equal",
        "3\N{MULTIPLICATION SIGN}5",
    ]


def table_of(rows):
    """Write the page with these rows alone; the value is the lines of its table."""
    table = {"heading": "", **parity._table(rows, WORDS, "")}
    family = {"title": "Norms", "words": "", "tables": [table]}
    told = parity.facts(ROOT) | {"families": [family]}
    lines = fill("book/appendix/parity.md", told, ROOT).splitlines()
    return [line for line in lines if line.startswith("|")]


def test_rows_of_one_pair_are_told_apart_by_what_is_tested(record):
    first = record["rows"][0]
    other = first | {"test": "a.py::test_with_a_cache"}
    head, *_, last = table_of([first, other])
    assert "| what is tested |" in head
    assert last.endswith("| with a cache |")
    assert "what is tested" not in table_of([first])[0]


def test_a_fact_writes_names_as_they_are_written():
    row = {"test": "a.py::test_parity_with_hugging_face_t5"}
    assert parity._fact(row, WORDS) == "parity with Hugging Face T5"
