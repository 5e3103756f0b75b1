"""The bootstrap finds the book, or installs it beside torch and numpy, or says how."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from bookkit.book.files import find_root
from bookkit.book.notebooks import chapters, renew_notebooks
from bookkit.checking.colab.environment import layered, serve_repository, without
from bookkit.writing.bootstrap import bootstrap_renewal, bootstrap_source, put_bootstrap

SITE = Path(sysconfig.get_paths()["purelib"])
FACTS = """\
import importlib.metadata as m, importlib.util as u, json
facts = {n: [m.version(n), u.find_spec(n).origin] for n in ("torch", "numpy")}
found = u.find_spec("chapters")
facts["chapters"] = found and found.origin
print(json.dumps(facts))
"""
IN_COLAB = (
    "import sys, types\nsys.modules['google.colab'] = types.ModuleType('colab')\n"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a git repository with the project, on a local web server."""
    root, folder = find_root(Path(__file__)), tmp_path_factory.mktemp("server")
    with serve_repository(root, folder) as (address, _):
        yield address


@pytest.fixture
def colab(tmp_path):
    """Run code in an environment that has all packages of this one but the book."""
    ours = ("tested_transformer", "__editable__")
    packages = without(SITE, tmp_path / "packages", ours)
    environment = layered(tmp_path / "env", Path(sys.executable), packages)
    settings = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON"))},
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as: no isolation
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
        "PIP_CONFIG_FILE": os.devnull,
    }
    (tmp_path / "wheels").mkdir()

    def run(source):
        command = [environment.python, "-c", source]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=settings
        )

    return run


def test_in_colab_the_book_is_installed_beside_torch_and_numpy(served, colab):
    source = IN_COLAB + bootstrap_source(served)
    before = colab(FACTS)
    first = colab(source + "\nimport chapters, transformer")
    after = colab(FACTS)
    assert '"chapters": null' in before.stdout
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    assert "site-packages/chapters/__init__.py" in after.stdout
    assert (
        after.stdout.partition('"chapters"')[0]
        == before.stdout.partition('"chapters"')[0]
    )

    # A second run finds the book and does not even ask the server.
    second = colab(IN_COLAB + bootstrap_source("http://127.0.0.1:9/no/book"))
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_a_torch_that_does_not_fit_is_never_replaced(served, colab, tmp_path):
    packages = tmp_path / "packages"
    for entry in [*packages.glob("torch"), *packages.glob("torch-*")]:
        entry.unlink()
    _write_distribution(packages, "torch", "2.8.0+cu128")
    wheel = tmp_path / "wheels" / "torch-2.13.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in _write_distribution(tmp_path / "new", "torch", "2.13.0"):
            archive.write(file, file.relative_to(tmp_path / "new"))

    run = colab(IN_COLAB + bootstrap_source(served))

    facts = colab(FACTS)
    assert run.returncode == 1
    assert "RuntimeError: The book is missing (" in run.stderr
    assert "2.8.0+cu128" in facts.stdout
    assert '"chapters": null' in facts.stdout


def _write_distribution(folder, name, version):
    """Write a package of one empty module, as pip would install it."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (folder / name).mkdir()
    (folder / name / "__init__.py").touch()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    (info / "RECORD").write_text("")
    return [folder / name / "__init__.py", *info.iterdir()]


def test_without_a_network_the_cell_says_what_to_do(colab):
    run = colab(IN_COLAB + bootstrap_source("http://127.0.0.1:9/no/book"))
    assert run.returncode == 1
    assert run.stderr.rstrip().split("\n")[-1] == (
        "RuntimeError: The book is missing (No module named 'transformer'): see that "
        "http://127.0.0.1:9/no/book can be reached, restart the session and try again."
    )
    assert "ERROR" not in run.stderr


def test_a_package_of_the_same_name_is_not_taken_for_the_book(colab, tmp_path):
    (tmp_path / "transformer.py").touch()
    run = colab(bootstrap_source("https://github.com/owner/book"))
    assert run.stderr.rstrip().split("\n")[-1] == (
        "RuntimeError: The book is missing (No module named "
        "'transformer.layers'; 'transformer' is not a package): run `%pip install "
        "git+https://github.com/owner/book` in a new cell, then this one."
    )


@pytest.fixture
def installs(monkeypatch):
    """The commands that the cell runs where the book is missing."""
    ran = []

    def miss(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    def run(command, **_):
        ran.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr("importlib.import_module", miss)
    monkeypatch.setattr(subprocess, "run", run)
    return ran


def test_in_kaggle_the_book_is_installed_beside_torch_and_numpy(installs, monkeypatch):
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    exec(bootstrap_source("https://github.com/owner/book"), {})
    kept = [f"{name}=={version(name)}" for name in ("torch", "numpy")]
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    assert installs == [[*pip, *kept, "git+https://github.com/owner/book"]]


def test_elsewhere_nothing_is_installed_unasked(installs):
    with pytest.raises(
        RuntimeError, match=r"%pip install git\+https://github\.com/o/b"
    ):
        exec(bootstrap_source("https://github.com/o/b"), {})
    assert installs == []


def test_where_the_book_is_found_the_cell_does_nothing(monkeypatch, capsys):
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    exec(bootstrap_source("http://127.0.0.1:9/no/book"), {})
    assert capsys.readouterr() == ("", "")


def test_the_cell_is_short():
    source = bootstrap_source("https://github.com/owner/book")
    assert len(source.splitlines()) <= 22
    assert max(map(len, source.splitlines())) <= 88


def test_the_bootstrap_is_written_below_the_title_once(
    book, write_chapter, code, saved
):
    path = write_chapter("# Title", "Text.", code("1 + 1"))
    assert renew_notebooks(chapters(book), bootstrap_renewal(book)) == [
        "book/part/chapter.ipynb, bootstrap cell was renewed"
    ]
    first, cell, *_ = saved(path).cells
    assert first.source == "# Title"
    assert cell.source == bootstrap_source("https://github.com/owner/old-book")
    assert cell.metadata.tags == ["remove-cell"]
    assert renew_notebooks(chapters(book), bootstrap_renewal(book)) == []
    assert len(saved(path).cells) == 4


def test_an_old_bootstrap_is_replaced_where_it_stands(write_chapter, code, saved):
    path = write_chapter("# T", "Text.", code("old", tags=["remove-cell", "more"]))
    notebook = saved(path)
    assert put_bootstrap(notebook, "new") is True
    assert [cell.source for cell in notebook.cells] == ["# T", "Text.", "new"]
    assert notebook.cells[2].metadata.tags == ["remove-cell", "more"]


def test_a_placeholder_becomes_the_bootstrap(write_chapter, code, saved):
    notebook = saved(write_chapter("# T", code("# bootstrap"), code("1")))
    assert put_bootstrap(notebook, "new") is True
    assert [cell.source for cell in notebook.cells] == ["# T", "new", "1"]
    assert notebook.cells[1].metadata.tags == ["remove-cell"]
