"""What the README shows is what happens."""

import re
import tomllib
from pathlib import Path

from bookkit.book.address import files_url, published, repository_url
from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.S)
# What needs a training is run by tests/commands, and SmolLM2 by tests/zoo/gguf.
TRAINED = ("load_training", "smollm2")
TARGETS = dict(re.findall(r"^\[([^]]+)\]: (\S+)$", TEXT, re.M))
PROSE = re.sub(r"```.*?```|`[^`]*`|^\[[^]]+\]: .*$", "", TEXT, flags=re.S | re.M)
MANUALS = ("README.md", "CONTRIBUTING.md", "code/bookkit/README.md")
NOTICES = ("CHANGELOG.md", ".github/SECURITY.md", ".github/CODE_OF_CONDUCT.md")
BADGE = re.compile(r"\[!\[([^]]+)\]\[([^]]+)\]\]\[([^]]+)\]")
# Without a path it is a Python that does not have the tools, or is not there at all;
# `python -m transformer` is for those who have installed the package with pip.
NOT_OF_THE_CLONE = re.compile(r"(?<!/)\bpython3? -m\s(?!transformer\b)|[`$] ?pytest ")


@facts("example", [x for x in EXAMPLES if not any(name in x for name in TRAINED)])
def test_an_example_prints_what_its_comments_say(example, capsys):
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    assert printed == re.findall(r"print\(.*\)  # (.*)", example)
    assert printed


def test_each_extra_that_is_named_can_be_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"(?:`|transformer)\[([a-z,]+)\](?:`| @)", TEXT)
    extras = {extra for some in named for extra in some.split(",")}
    assert {"training", "gguf", "hub", "reference", "images"} == extras
    assert extras <= {*project["optional-dependencies"]}


def test_what_is_cloned_is_the_repository_that_is_installed():
    (cloned,) = re.findall(r"^git clone (\S+)$", TEXT, re.M)
    assert f'git+{cloned}"' in TEXT
    assert f"\ncd {cloned.rpartition('/')[2]}\n" in TEXT


def test_what_is_installed_first_is_the_build_of_pytorch_that_the_checks_take():
    first, second, _ = re.findall(r"^pip install (.*?)(?: {2,}#.*)?$", TEXT, re.M)
    check = (ROOT / ".github/workflows/check.yml").read_text("utf-8")
    (index,) = re.findall(r"^  PIP_EXTRA_INDEX_URL: (\S+)$", check, re.M)
    assert first == f"torch --index-url {index}"
    released = second.partition(" @ ")[0] + '"'
    assert f"`pip install {released}`" in " ".join(TEXT.split())


def test_no_address_stands_in_the_text():
    assert "://" not in PROSE


def test_the_chapters_are_listed_in_their_order_and_lead_to_their_pages():
    online = published(ROOT)
    wanted = {
        chapter.title: online.address(f"book/{chapter.name}.ipynb")
        for chapter in read_outline(ROOT)
    }
    listed = [title for title in TARGETS if title in wanted]
    assert {title: TARGETS[title] for title in listed} == wanted
    assert listed == list(wanted)


def test_each_link_by_a_name_has_an_address_and_each_address_a_link():
    prose = BADGE.sub(r"[\2] [\3]", " ".join(PROSE.split()))
    prose = re.sub(r"!\[[^]]+\](?=\[)", "", prose)  # a picture has an address, too
    words = re.findall(r"(?<!!)\[([^]]+)\](?!\()", prose)
    assert sorted({*words}) == sorted(TARGETS)
    assert [word for word in words if words.count(word) > 1] == ["LICENSE"] * 2


def test_a_badge_says_what_is_so():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    start = "Programming Language :: Python :: "
    pythons = [c.removeprefix(start) for c in project["classifiers"] if start in c]
    text, license = f"{pythons[0]} to {pythons[-1]}", (ROOT / "LICENSE").read_text()
    actions = f"{repository_url(ROOT)}/actions/workflows"
    badges = {
        said: (TARGETS[img], TARGETS[to]) for said, img, to in BADGE.findall(TEXT)
    }
    shields = "https://img.shields.io/badge"
    assert badges == {
        "Checks of main": (
            f"{actions}/publish.yml/badge.svg?branch=main",
            f"{actions}/publish.yml",
        ),
        f"Python {text}": (
            f"{shields}/Python-{text.replace(' ', '_')}-blue",
            f"{actions}/nightly.yml",
        ),
        "Code: MIT, text: CC BY 4.0": (
            f"{shields}/license-MIT,_CC_BY_4.0-blue",
            f"{files_url(ROOT)}/LICENSE",
        ),
    }
    assert project["license"] == "MIT"
    assert "the MIT License" in license
    assert "Creative Commons Attribution 4.0" in " ".join(license.split())
    for workflow in ("publish", "nightly"):
        assert (ROOT / f".github/workflows/{workflow}.yml").is_file()


@facts("name", [*MANUALS, *NOTICES[:2]])
def test_links_to_files_lead_to_files(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?![a-z]+:|#)([^)\s#]+)", text)
    here = rf"^\[.*\]: {re.escape(repository_url(ROOT))}/(?:blob|raw)/main/(\S+)$"
    addresses = re.findall(here, text, re.M)
    assert links or addresses
    for link in links:
        assert ((ROOT / name).parent / link).exists(), link
    for path in addresses:  # which PyPI can follow, too
        assert (ROOT / path).is_file(), path
    assert name != "README.md" or not links


@facts("name", [*MANUALS, NOTICES[1]])
def test_each_command_that_is_named_is_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split()
    named = re.findall(r"`make\s+([a-z]+(?:-[a-z]+)*)", text)
    assert named
    assert set(named) <= set(targets)


@facts("path", [*map(ROOT.joinpath, MANUALS), *sorted(ROOT.glob("book/**/*.md"))])
def test_each_command_is_that_of_the_environment_of_the_clone(path):
    text = path.read_text(encoding="utf-8")
    assert NOT_OF_THE_CLONE.findall(text) == []


def test_readers_on_windows_learn_of_the_shell_that_make_asks_for():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    both = re.search(r"Windows_NT\)\n(.*?)\nelse\n(.*?)\nendif", makefile, re.S)
    shells = [re.search(r"^SHELL := (\S+)$", part, re.M)[1] for part in both.groups()]
    assert shells == ["bash.exe", "bash"]
    (said,) = re.findall(r"^On Windows, .*?\n\n", TEXT, re.M | re.S)
    assert {"online", "Colab", "`pip`", "bash", "WSL", "Git"} <= set(
        re.findall(r"`?\w+`?", said)
    )


def test_the_two_commands_are_a_block_of_their_own():
    block = TEXT.partition("\n## Two commands\n")[2].partition("```sh\n")[2]
    lines = block.partition("```")[0].splitlines()
    assert [line.partition("#")[0].strip() for line in lines] == [
        "make book",
        "make test",
    ]


def test_what_to_run_is_said_first_to_a_contributor():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.search(r"^## (.*)$", text, re.M)[1] == "What to run"
    assert len(text.split()) < 2000
