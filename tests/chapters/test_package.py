"""What is installed has the scripts and the measurements: Colab installs it so."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
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
    assert needed - packed == set()
