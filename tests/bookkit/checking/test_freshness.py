"""Other versions are installed apart, and what breaks with them is named."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.checking.freshness import LENIENT, check_with, requirements_for

PINNED = "# The book\nsphinx==7.4.7\n\ntorch==2.13.0\nnumpy==2.4.6  # why\n"
# What is held with other versions: nothing that requirements.txt names, and no hashes.
HASHED = """\
# Written
attrs==26.1.0 ; sys_platform != 'win32' \\
    --hash=sha256:0123 \\
    --hash=sha256:4567
torch==2.13.0 \\
    --hash=sha256:89ab
"""
HELD = "attrs==26.1.0 ; sys_platform != 'win32'\n"
BOUNDS = ["torch>=2.9", "numpy>=2.0"]
PYPROJECT = f"[project]\ndependencies = {[*BOUNDS, 'matplotlib>=3.9']}\n"
# What the tests here have instead of make: it says what it was called with, fails at
# the targets that it is told to, and makes an environment of three packages.
MAKE = """\
#!/bin/sh
echo "$@" >> calls
for last; do :; done
case " $FAIL " in *" ${last##*/} "*) exit 2;; esac
case $last in */.ready) ;; *) exit 0;; esac
folder=${last%/.ready}
mkdir -p $folder/bin $folder/lib/python3.11/site-packages
printf '#!/bin/sh\\necho \\047{"python": "3.11.7", "torch": "2.9.1", "numpy": "2.0.2",
"matplotlib": "%s"}\\047' $MATPLOTLIB > $folder/bin/python
chmod +x $folder/bin/python
"""


@pytest.fixture
def check(book, monkeypatch):
    """Check a small book with the make above."""
    (book / "requirements.txt").write_text(f"{PINNED}matplotlib==3.11.2\n")
    (book / "constraints.txt").write_text(HASHED)
    (book / "pyproject.toml").write_text(PYPROJECT)
    (book / "make").write_text(MAKE)
    (book / "make").chmod(0o755)

    def run(versions, fail="", matplotlib="3.9.4"):
        monkeypatch.setenv("FAIL", fail)
        monkeypatch.setenv("MATPLOTLIB", matplotlib)
        said = []
        check_with(book, versions, "python9", make="./make", report=said.append)
        return said

    return run


def calls(book):
    return (book / "calls").read_text().splitlines()


@facts(
    "versions, torch, numpy",
    [
        ("oldest", "torch==2.9.*", "numpy==2.0.*"),
        ("newest", "torch", "numpy"),
    ],
)
def test_only_what_the_package_depends_on_gets_other_versions(versions, torch, numpy):
    text = requirements_for(versions, PINNED, BOUNDS)
    assert text.splitlines() == ["sphinx==7.4.7", torch, numpy]


@facts(
    "dependency, named",
    [("torch", "'torch'"), ("torch==2.9", "'torch==2.9'"), ("scipy>=1", "'scipy>=1'")],
)
def test_a_dependency_that_is_no_lower_bound_or_not_pinned_is_named(dependency, named):
    with pytest.raises(BookError, match=f"must be a lower bound.* mend.*{named}"):
        requirements_for("oldest", PINNED, [dependency])


def test_versions_that_nobody_knows_are_refused(check):
    with pytest.raises(BookError, match=r"oldest, pinned or newest, and are 'new'"):
        check("new")


def test_each_kind_of_versions_has_an_environment_of_its_own(check, book):
    [line] = check("oldest")
    assert line == (
        "With the oldest versions: python 3.11.7, torch 2.9.1, numpy 2.0.2, "
        "matplotlib 3.9.4"
    )
    folder = "_build/freshness/oldest"
    variables = (
        f"VENV={folder} PYTHON=python9 REQUIREMENTS={folder}-requirements.txt "
        f"CONSTRAINTS={folder}-constraints.txt"
    )
    assert calls(book) == [
        f"{variables} {folder}/.ready",
        f"{variables} TEXTS_ONLY=yes {LENIENT} unit",
        f"{variables} TEXTS_ONLY=yes {LENIENT} tool-test",
        f"{variables} TEXTS_ONLY=yes {LENIENT} notebooks",
    ]
    installed = (book / f"{folder}-requirements.txt").read_text()
    assert installed.endswith("torch==2.9.*\nnumpy==2.0.*\nmatplotlib==3.9.*\n")
    assert (book / f"{folder}-constraints.txt").read_text() == HELD


def test_pinned_versions_are_installed_as_make_does_it(check, book):
    check("pinned", matplotlib="3.11.2")
    variables = "VENV=_build/freshness/pinned PYTHON=python9"
    assert calls(book) == [
        f"{variables} _build/freshness/pinned/.ready",
        f"{variables} unit",
        f"{variables} tool-test",
        f"{variables} notebooks",
    ]


def test_figures_are_compared_where_matplotlib_is_the_pinned_one(check, book):
    check("newest", matplotlib="3.11.2")
    assert len(calls(book)) == 4
    assert not any("TEXTS_ONLY" in call or LENIENT in call for call in calls(book))
    assert (book / "_build/freshness/newest-constraints.txt").read_text() == ""


def test_files_of_a_second_run_are_not_newer(check, book):
    check("oldest")
    file = book / "_build/freshness/oldest-requirements.txt"
    before = file.stat().st_mtime_ns
    check("oldest")
    assert file.stat().st_mtime_ns == before


@facts(
    "fail, said",
    [
        (".ready", "The oldest versions must install together, and do not"),
        ("unit", "torch 2.9.1, .* and make unit failed"),
        ("notebooks", "and make notebooks failed"),
        ("unit notebooks", "and make unit and make notebooks failed"),
    ],
)
def test_what_breaks_is_named(check, fail, said):
    with pytest.raises(BookError, match=said):
        check("oldest", fail=fail)
