"""No file that somebody else made is ever run: weights are read as numbers alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
FOLDERS = ("code", "tests")
# Modules whose formats can run code when they are read.
MODULES = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}
# What runs a text, a pickle, or what an archive asks for.
CALLS = {
    "eval",
    "exec",
    "numpy.load",
    "os.system",
    "pandas.read_pickle",
    "shutil.unpack_archive",
    "torch.hub.load",
    "torch.load",
    "yaml.full_load",
    "yaml.load",
    "yaml.unsafe_load",
}
METHODS = {"extractall"}  # of an archive: writes wherever its members say
# A file without any of these words needs no reading.
RISKY = {*MODULES, *METHODS, "shell", *(call.rpartition(".")[2] for call in CALLS)}
WORDS = re.compile(rf"\b({'|'.join(RISKY)})\b")
SAFE = {
    "torch.load": ("weights_only", "True"),
    "yaml.load": ("Loader", "yaml.SafeLoader"),
}
# What stays, and why.
REASONS = {
    ("tests/test_config.py", "eval"): "reads what a configuration shows of itself",
    ("tests/conftest.py", "pickle"): "writes a pickle that the package must refuse",
    (
        "code/chapters/narrow/form.py",
        "pickle",
    ): "reads the copy of a figure that it has just written",
    ("code/bookkit/book/notebooks.py", "yaml.load"): "has the SafeLoader written in C",
    ("tests/test_workflows.py", "yaml.load"): "has a SafeLoader to which on is a word",
    ("tests/test_readme.py", "exec"): "runs the examples of the README of this book",
    (
        "code/chapters/laboratory/kept.py",
        "torch.load",
    ): "reads what this run of the tests, or one before it, has written itself",
    (
        "tests/chapters/decoding/test_page_code.py",
        "exec",
    ): "runs cells that the page of this book shows",
    ("tests/test_transformer.py", "exec"): "imports a name that is not there",
    (
        "tests/commands/test_commands.py",
        "eval",
    ): "runs the examples of the README of this book",
    (
        "tests/commands/test_commands.py",
        "exec",
    ): "runs the examples of the README of this book",
    (
        "tests/zoo/gguf/test_smollm2.py",
        "exec",
    ): "runs the examples of the README of this book",
    (
        "tests/chapters/language_model/test_pretrain.py",
        "exec",
    ): "runs the lines that the book gives for a text of one's own",
    (
        "tests/bookkit/writing/test_bootstrap.py",
        "exec",
    ): "runs the book's own first cell",
    (
        "code/chapters/one_page/changes.py",
        "exec",
    ): "runs the book's own listing with a line changed",
}


def find_risks(tree: ast.AST) -> Iterator[str]:
    """Yield what a piece of code might run of what others made."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
                yield from {top} & MODULES
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
            yield from {node.module.partition(".")[0]} & MODULES
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _risks_of(node, names)


def _risks_of(call: ast.Call, names: dict[str, str]) -> Iterator[str]:
    """Yield what a call might run."""
    first, dot, rest = ast.unparse(call.func).partition(".")
    called = f"{names.get(first, first)}{dot}{rest}"
    given = {k.arg: ast.unparse(k.value) for k in call.keywords}
    if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
        yield call.func.attr
    if given.get("shell", "False") != "False":
        yield "shell"
    if called == "numpy.load":
        safe = given.get("allow_pickle", "False") == "False" and len(call.args) < 3
    else:
        option, value = SAFE.get(called, ("", None))
        safe = called not in CALLS or given.get(option) == value is not None
    if not safe:
        yield called


@facts(
    "code, risks",
    [
        ("import torch\ntorch.load(f)", ["torch.load"]),
        ("from torch import load as l\nl(f, weights_only=False)", ["torch.load"]),
        ("import torch as t\nt.load(f, weights_only=safe)", ["torch.load"]),
        ("import torch\ntorch.load(f, weights_only=True)", []),
        ("import torch\ntorch.hub.load('a', 'b')", ["torch.hub.load"]),
        ("import numpy as np\nnp.load(f)", []),
        ("import numpy as np\nnp.load(f, allow_pickle=True)", ["numpy.load"]),
        ("from numpy import load\nload(f, None, True)", ["numpy.load"]),
        ("import pickle", ["pickle"]),
        ("from joblib import load", ["joblib"]),
        ("import marshal as m", ["marshal"]),
        ("import yaml\nyaml.load(f)", ["yaml.load"]),
        ("import yaml\nyaml.load(f, Loader=yaml.FullLoader)", ["yaml.load"]),
        ("import yaml\nyaml.load(f, Loader=yaml.SafeLoader)", []),
        ("import yaml\nyaml.safe_load(f)", []),
        ("eval(text)", ["eval"]),
        ("exec(text, {})", ["exec"]),
        ("model.eval()", []),
        ("archive.extractall(path)", ["extractall"]),
        ("import subprocess\nsubprocess.run(x, shell=True)", ["shell"]),
        ("import subprocess\nsubprocess.run(x, shell=False)", []),
    ],
)
def test_a_risk_is_found(code, risks):
    assert list(find_risks(ast.parse(code))) == risks


def _sources() -> Iterator[tuple[str, str]]:
    """Yield each file of Python, and the code of each notebook."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
    for path in notebook_paths(ROOT):
        cells = [c.source for c in read_notebook(path).cells if c.cell_type == "code"]
        yield path.relative_to(ROOT).as_posix(), "\n".join(cells)


def test_what_others_made_is_never_run():
    sources = dict(_sources())
    assert any(name.endswith(".ipynb") for name in sources)
    found = {
        (name, risk)
        for name, source in sources.items()
        if WORDS.search(source)
        for risk in find_risks(ast.parse(source))
    }
    assert found - set(REASONS) == set(), "make it safe, or give a reason"
    assert set(REASONS) - found == set(), "these are gone"
