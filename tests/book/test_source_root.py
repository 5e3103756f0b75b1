"""`code/` is a folder of packages and does not hide Python's own module `code`."""

import subprocess
import sys
import sysconfig
from pathlib import Path

from bookkit.book.files import find_root

ROOT = find_root(Path(__file__))


def test_import_code_finds_the_standard_library():
    script = "import code; print(code.__file__)"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    library = Path(sysconfig.get_paths()["stdlib"]).resolve()
    assert Path(run.stdout.strip()).resolve() == library / "code.py"


def test_the_folder_code_is_no_package():
    assert (ROOT / "code").is_dir()
    assert not (ROOT / "code" / "__init__.py").exists()
