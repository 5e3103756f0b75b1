"""Nobody imports upward: `lint-imports` reads the contracts in pyproject.toml."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint_imports(root):
    """Check the contracts on a copy of the code, or on the code itself."""
    return subprocess.run(
        [sys.executable, "-c", LINT, "--config", "../pyproject.toml", "--no-cache"],
        cwd=root / "code",
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_contract_is_kept():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout
    assert "9 kept, 0 broken" in done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the code, in which offenders may be planted."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", root)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "code", root / "code", ignore=ignored)
    return root


# Each is a run of its own, of seconds: as one test they would take minutes.
@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("layers/activations", "transformer.layers.feed_forward", "Modules of a room"),
        ("layers/masks", "transformer.config", "Data and layers do not see"),
        ("layers/masks", "transformer.blocks.encoder", "The rooms of the transformer"),
        ("training/loop", "transformer.zoo.bert", "The rooms of the transformer"),
        ("zoo/bert", "transformer.training.loss", "The rooms of the transformer"),
        ("data/pieces", "transformer.training", "The rooms of the transformer"),
        ("training/loop", "transformer.commands", "The rooms of the transformer"),
        ("__init__", "transformer.packages", "The root of the transformer"),
        ("new_room", "torch", "The rooms of the transformer"),
        ("layers/masks", "chapters.start", "Chapters stand on the transformer"),
        ("layers/masks", "bookkit.book.files", "Nothing but the author imports"),
        ("../chapters/start", "bookkit.book.files", "Nothing but the author imports"),
        ("../chapters/rotary/own", "chapters.rms_norm.figures", "Chapters know what"),
        ("../chapters/start", "chapters.shared.plots", "Chapters know what they share"),
        ("../bookkit/book/own", "chapters.start", "Chapters stand on the transformer"),
        ("../bookkit/book/own", "transformer.config", "The author's tools read the"),
        ("../bookkit/book/own", "bookkit.writing.run", "The rooms of the author's"),
    ],
)
def test_an_offender_is_caught(copy, module, planted, contract):
    path = copy / f"code/transformer/{module}.py"
    before = path.read_bytes() if path.exists() else None
    path.write_bytes((before or b"") + f"\nimport {planted}\n".encode())
    done = lint_imports(copy)
    path.write_bytes(before) if before is not None else path.unlink()
    broken = [line for line in done.stdout.splitlines() if line.endswith("BROKEN")]
    assert done.returncode == 1, done.stdout + done.stderr
    assert [line for line in broken if line.startswith(contract)], done.stdout
