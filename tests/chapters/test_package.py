"""What is installed has the scripts and the measurements: Colab installs it so."""

import ast
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Without extras come these; the last two with Matplotlib and PyTorch.
PLAIN = {"torch", "numpy", "matplotlib", "jaxtyping", "cycler", "filelock"}
OURS = {"transformer", "chapters"}
MODEL = ("config.json", "model.safetensors", "tokenizer.json")
BUILD = "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"


def test_installed_package_has_scripts_styles_and_measurements(tmp_path):
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "code", tmp_path / "code", ignore=ignored)
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    assert not (tmp_path / "build").exists()
    packed = set(zipfile.ZipFile(wheel).namelist())
    needed = {
        path.relative_to(ROOT / "code").as_posix()
        for path in (ROOT / "code/chapters").rglob("*.*")
        if path.suffix in (".js", ".css", ".json", ".py")
    }
    assert {Path(name).suffix for name in needed} == {".js", ".css", ".json", ".py"}
    needed |= {f"transformer/zoo/verses/{x}" for x in (*MODEL, "card.md")}
    assert needed - packed == set()


def imported_at_the_top(path):
    """Return the packages that a module needs as soon as it is imported."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_no_module_needs_an_extra_to_be_imported():
    known = PLAIN | OURS | sys.stdlib_module_names
    paths = [path for name in OURS for path in (ROOT / "code" / name).rglob("*.py")]
    assert len(paths) > 100
    needy = {path: {*imported_at_the_top(path)} - known for path in paths}
    assert {path.name: names for path, names in needy.items() if names} == {}
