"""Editors and type checkers see every public name as what it is."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import transformer
from bookkit.book.files import find_root

ROOT = find_root(Path(__file__))
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """What Pyright says of the examples of the README, and of each public name."""
    folder = tmp_path_factory.mktemp("types")
    settings = {
        "typeCheckingMode": "basic",
        "venvPath": str(Path(sys.prefix).parent),
        "venv": Path(sys.prefix).name,
        "extraPaths": [str(ROOT / "code")],
        "reportRedeclaration": False,  # one example after the other
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    snippets = SNIPPET.findall((ROOT / "README.md").read_text("utf-8"))
    assert len(snippets) >= 2
    (folder / "readme.py").write_text("\n".join(snippets))
    shown = [f"reveal_type(transformer.{name})" for name in transformer.__all__]
    shown += ['reveal_type(transformer.zoo.load("smollm2-135m").tokenizer.encode)']
    shown += ["reveal_type(transformer.layers.MultiHeadAttention(8, 2).num_heads)"]
    (folder / "names.py").write_text("\n".join(["import transformer", *shown]))
    checker = Path(sys.executable).parent / "basedpyright"
    run = subprocess.run(
        [checker, "--outputjson", "-p", folder], capture_output=True, text=True
    )
    return json.loads(run.stdout)["generalDiagnostics"]


def test_the_examples_of_the_readme_are_typed(judged):
    errors = [found for found in judged if found["severity"] == "error"]
    assert [found["message"] for found in errors] == []


def test_each_public_name_is_seen_as_what_it_is(judged):
    shown = [x["message"] for x in judged if x["severity"] == "information"]
    assert len(shown) == len(transformer.__all__) + 2
    unclear = [
        m for m in shown if re.search(r'is "(object|Unknown|Any|.*Callable\[\.\.\.)', m)
    ]
    assert unclear == []


def test_the_parameters_of_a_constructor_are_seen(judged):
    shown = "\n".join(found["message"] for found in judged)
    for part in ("type[TransformerConfig]", "temperature: float", "-> list[int]"):
        assert part in shown
