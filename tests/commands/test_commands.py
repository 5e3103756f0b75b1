"""The command line as a reader meets it: help, mistakes, exit codes, the README."""

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import transformer
from bookkit.checking.facts import facts
from transformer import commands, data, load_training
from transformer.commands.flags import as_flag
from transformer.commands.main import COMMANDS, INTERRUPTED, REFUSED, parser

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@facts("name", [[], *([name] for name in COMMANDS)], ids=str)
def test_each_command_has_help(command, name):
    code, out, errors = command(*name, "--help")
    assert (code, errors) == (0, "")
    assert out.startswith(" ".join(["usage: python -m transformer", *name]))
    assert command("help", *name) == (0, out, "")


@facts("name", COMMANDS)
def test_the_help_of_a_command_shows_each_field_with_its_default(command, name):
    out = " ".join(command(name, "--help")[1].split())
    for kind in COMMANDS[name].flags:
        for field in kind.__dataclass_fields__.values():
            flag = "TEXT" if "words" in field.metadata else as_flag(field.name)
            # From Python 3.13 on a comma stands behind it, if it has another name.
            assert re.search(rf" {flag}[ ,]", out)
            if field.default not in (None, False):
                assert f"(default: {field.default})" in out


def test_the_help_of_train_has_groups(command):
    out = command("train", "--help")[1]
    assert "\nwhat to learn:\n  --task " in out
    assert "\nthe model:\n  --layers " in out
    assert "\nwhere it computes:\n  --device " in out


def test_the_version_is_told(command):
    assert command("--version") == (0, f"transformer {transformer.__version__}\n", "")


@facts("code", [0, REFUSED, INTERRUPTED])
def test_the_exit_code_of_the_program_is_that_of_the_command(code, monkeypatch):
    monkeypatch.setattr(commands, "main", lambda: code)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("transformer", run_name="__main__")
    assert ended.value.code == code


LIGHT = "import sys; from transformer.commands import main\ntry: main()\n"
LIGHT += "finally: print('torch' in sys.modules)"


@facts(
    "words",
    [
        *(["--help"], ["trian"], ["train", "--stpes=3"], ["translate", "--top-k=x"]),
        *(["train", "--help"], ["train", "--steps=0"], ["train", "--d-model=30"]),
        *(["train", "--vocab-size=300"], ["evaluate", "--beam-width=0"]),
        *(["write", "--max-new-tokens=0", "a"], ["write", "--top-p=2", "a"]),
    ],
)
def test_what_needs_no_model_is_said_without_pytorch(words):
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, *words], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "False"


@facts(
    "words, said",
    [
        ([], "required: command"),
        (["trian"], "'trian' (choose from"),
        (["train", "--stpes=3"], "unrecognized arguments: --stpes=3"),
        (["train", "--step=20"], "unrecognized arguments: --step=20"),  # no short ones
        (["train", "--task=numbrs"], "'numbrs' (choose from"),
        (["train", "--seed=luck"], "invalid int value: 'luck'"),
    ],
)
def test_a_misspelled_word_is_refused(command, words, said):
    code, out, errors = command(*words)
    assert (code, out) == (2, "")
    assert said in errors


@facts(
    "words, said",
    [
        (["write", "a", "--max-new-tokens=0"], ["--max-new-tokens", "got 0", "larger"]),
        (["evaluate", "--beam-width=0"], ["--beam-width", "got 0", "larger"]),
        (["train", "--threads=0"], ["--threads", "got 0", "larger"]),
        (["train", "--threads=1025"], ["--threads", "got 1025", "smaller"]),
        (["write", "a", "--top-p=2"], ["--top-p", "got 2.0", "smaller"]),
        (["write", "a", "--top-k=0"], ["--top-k", "got 0", "larger"]),
        (["write", "a", "--seed=-1"], ["--seed", "got -1", "larger"]),
        (["translate", "--sample", "--temperature=0"], ["--temperature", "got 0"]),
        (["train", "--position=rotary", "--d-model=20"], ["no such model", "got 5"]),
        (["translate", "a", "--device=abacus"], ["--device", "'abacus'", "pass cpu"]),
        (["translate", "a", "--device=meta"], ["--device", "'meta'", "pass cpu"]),
    ],
)
def test_a_number_or_a_device_that_cannot_be_is_refused(refused, words, said):
    refused(*words, words=said)


def test_an_error_of_the_program_itself_is_not_hidden(command, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("a mistake of this program")

    monkeypatch.setattr("transformer.commands.translate.read_lines", fail)
    with pytest.raises(RuntimeError, match="a mistake of this program"):
        command("translate")


@facts("lines", [1, 300])  # fewer and more than are written at once
def test_who_reads_no_further_is_not_told_anything(
    trained, command, monkeypatch, lines
):
    reads, writes = os.pipe()
    os.close(reads)
    text = lines * "four hundred and ninety-seven\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    with open(writes, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        code, _, errors = command("translate", f"--run={trained}")
    assert (code, errors) == (0, "")


def test_letters_that_the_output_cannot_show_are_named(trained, refused, monkeypatch):
    output = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", output)
    said = ["UTF-8", "'ascii'", "PYTHONUTF8"]
    refused("translate", f"--run={trained}", "zero", words=said)


@facts("name", ["translate", "evaluate"])
def test_without_a_training_the_command_that_trains_is_told(
    tmp_path, refused, monkeypatch, name
):
    monkeypatch.setattr(sys, "orig_argv", ["python"])
    text = ["one"] if name == "translate" else []
    train = f"python -m transformer train --output={tmp_path}"
    said = [str(tmp_path), "--run", train]
    refused(name, *text, f"--run={tmp_path}", words=said)


def test_the_readme_shows_what_it_answers(trained, command):
    ((text, answer),) = re.findall(r'transformer translate "(.*)"  # (.*)', README)
    assert command("translate", "--run", trained, text)[1] == f"{answer}\n"


def test_the_readme_translates_in_python(trained, capsys, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    (code,) = (block for block in blocks if "load_training" in block)
    (answer,) = re.findall(r"  # (.*)", code)
    monkeypatch.chdir(trained.parents[1])
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == f"{answer}\n"


def test_the_readme_says_which_spelling_the_tokenizer_knows(trained):
    _, tokenizer = load_training(trained)
    (unknown,) = re.findall(r"`(tokenizer\.unknown\(.*?\))`", README)
    (spelled,) = re.findall(r"`(english\(.*?\)\))`", README)
    assert eval(unknown, {"tokenizer": tokenizer}) == ["97"]
    assert eval(spelled, vars(data)) == "ninety-seven"
    assert tokenizer.unknown("ninety-seven") == []


def test_the_commands_of_the_readme_start_where_make_puts_them():
    named = re.findall(r"^(?:.*`)?(\S.*-m transformer [^`\n]*)", README, re.MULTILINE)
    commands = [command for command in named if "…" not in command]
    assert len(commands) == 5
    for command in commands:
        start, *words = shlex.split(command, comments=True)
        assert start == ".venv/bin/python"
        words = words[words.index("transformer") + 1 :]
        assert parser().parse_args(words).command


def test_the_help_of_train_says_of_torchrun_what_the_readme_says(command):
    _, out, _ = command("train", "--help")
    (line,) = (line for line in out.splitlines() if "--nproc-per-node" in line)
    python, *words = shlex.split(line)
    assert python == sys.orig_argv[0]
    start = "-m torch.distributed.run --nproc-per-node 2 -m transformer train"
    assert words == start.split()
    assert f"`.venv/bin/python {start}`" in README
    assert find_spec("torch.distributed.run")
