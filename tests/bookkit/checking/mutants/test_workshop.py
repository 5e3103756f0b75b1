"""The workshop holds the book as it is, and settings that mutmut understands."""

import ast
import configparser
import os
import tomllib

from bookkit.book.files import find_root
from bookkit.checking.mutants.workshop import (
    LEFT_OUT_TESTS,
    doors_below,
    mirror,
    settings_for_mutmut,
)


def test_a_mirror_follows_its_source_and_spares_what_is_alike(tmp_path, write):
    source, target = tmp_path / "source", tmp_path / "target"
    write(source / "a/kept.py", "kept")
    write(source / "a/changed.py", "old")
    write(source / "gone.py", "gone")
    write(source / "__pycache__/kept.pyc", "")
    mirror(source, target)
    os.utime(target / "a/kept.py", (1, 1))
    write(source / "a/changed.py", "new")
    (source / "gone.py").unlink()
    mirror(source, target)
    files = [path for path in target.rglob("*") if path.is_file()]
    assert sorted(path.name for path in files) == ["changed.py", "kept.py"]
    assert (target / "a/changed.py").read_text() == "new"
    assert (target / "a/kept.py").stat().st_mtime == 1


def test_a_file_that_went_back_counts_as_new(tmp_path, write):
    source, target = tmp_path / "source", tmp_path / "target"
    write(source / "a.py", "old")
    os.utime(source / "a.py", (1, 1))
    write(target / "a.py", "mutated since")
    mirror(source, target)
    assert (target / "a.py").stat().st_mtime > 1


def test_the_settings_of_the_book_are_kept_but_for_what_refuses_a_second_session(
    pytestconfig, tmp_path
):
    root = find_root(pytestconfig.rootpath)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    with (tmp_path / "setup.cfg").open("w", encoding="utf-8") as file:
        settings_for_mutmut(project).write(file)
    found = configparser.ConfigParser()
    found.read(tmp_path / "setup.cfg", encoding="utf-8")
    options = found["tool:pytest"]["addopts"].split()
    assert "--jaxtyping" not in " ".join(options)
    assert {"--strict-markers", "bookkit.checking.mutants.checked"} <= set(options)
    kept = project["tool"]["pytest"]["ini_options"]["filterwarnings"]
    assert found["tool:pytest"]["filterwarnings"].split("\n") == ["", *kept]
    assert "timeout" not in found["tool:pytest"]
    for test in found["mutmut"]["pytest_add_cli_args_test_selection"].split():
        assert (root / test).exists()
    for left_out in LEFT_OUT_TESTS:
        file, _, name = left_out.partition("::")
        assert f"--deselect={left_out}" in options
        assert f"def {name}(" in (root / file).read_text("utf-8")


def test_a_door_moves_below_its_function_because_mutmut_spares_what_is_decorated():
    source = (
        "@door(\n    small,\n)\ndef double(x):\n    return 2 * x\n\n\nn = double(1)\n"
    )
    *_, below, last = ast.parse(doors_below(source)).body
    assert "@" not in doors_below(source)
    assert ast.unparse(below) == "double = door(small)(double)"
    assert ast.unparse(last) == "n = double(1)"


def test_no_function_of_the_package_is_decorated_in_the_workshop(pytestconfig):
    package = find_root(pytestconfig.rootpath) / "code/transformer"
    for path in package.rglob("*.py"):
        assert "\n@door(" not in doors_below(path.read_text("utf-8"))
