"""Tests of the three commands as a reader uses them."""

import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

import transformer
from bookkit.checking.facts import facts
from transformer import commands, data, load_training
from transformer.commands.endings import BROKEN_OFF, REFUSED
from transformer.commands.flags import RUN
from transformer.commands.folder import Run
from transformer.commands.main import COMMANDS, parser
from transformer.commands.samples import judged, sample_lines
from transformer.commands.settings import Settings
from transformer.data import TASKS, Pair, french
from transformer.training import load_checkpoint

HARD = {
    "four hundred and ninety-seven": "quatre cent quatre-vingt-dix-sept",
    "eighty": "quatre-vingts",
    "two hundred thousand and seventy-one": "deux cent mille soixante et onze",
}


@facts("name", [[], *([name] for name in COMMANDS)], ids=str)
def test_each_command_has_help(command, name):
    code, out, errors = command(*name, "--help")
    assert (code, errors) == (0, "")
    assert out.startswith(" ".join(["usage: python -m transformer", *name]))
    assert command("help", *name) == (0, out, "")


def test_the_help_says_what_each_command_does(command):
    out = " ".join(command("--help")[1].split())
    assert all(f"{name} {does}" in out for name, does in COMMANDS.items())


def test_the_version_is_told(command):
    assert command("--version") == (0, f"transformer {transformer.__version__}\n", "")


@facts("code", [0, BROKEN_OFF, REFUSED])
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
        *(["--help"], ["help"], ["--version"], ["trian"], []),
        *(["train", "--help"], ["train", "--stpes=3"], ["train", "--task=numbrs"]),
        *(["translate", "--top-k=x"], ["evaluate", "--zebra"], ["write", "--help"]),
        *(["train", "--steps=0"], ["train", "--d-model=30"], ["train", "--threads=0"]),
        *(["train", "--vocab-size=300"], ["evaluate", "--beam-width=0"]),
        *(["translate", "--beam-width=-1", "a"], ["write", "--max-new-tokens=0", "a"]),
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
        ([], "the first word must be a command, got none; choose one of train, transl"),
        (
            ["trian"],
            "must be a command, got 'trian' (did you mean 'train'?); choose on",
        ),
        (["zebra"], "must be a command, got 'zebra'; choose one of train, translate, "),
        (["--versoin"], "arguments: --versoin (did you mean '--version'?)"),
        (["train", "--stpes=3"], "arguments: --stpes=3 (did you mean '--steps'?)"),
        (["write", "a", "--gredy"], "arguments: --gredy (did you mean '--greedy'?)"),
        (["evaluate", "--zebra"], "unrecognized arguments: --zebra; see "),
        (["train", "--task=numbrs"], ") (did you mean 'numbers'?)"),
        (["train", "--step=20"], "arguments: --step=20 (did you mean '--steps'?)"),
        (["train", "--num-layers=3"], "=3 (did you mean '--layers'?)"),
        (["train", "--nhead=2"], "--nhead=2 (did you mean '--heads'?)"),
        (["train", "--steps=abc"], "invalid int value: 'abc'; see python -m"),
    ],
)
def test_a_misspelled_word_is_refused_with_a_similar_one(command, words, said):
    code, out, errors = command(*words)
    assert (code, out) == (2, "")
    assert said in errors


def test_the_folder_of_a_training_has_one_name_everywhere(tmp_path, command, small):
    for flag in ("--run", "--output"):
        run = tmp_path / flag.strip("-")
        code, out, _ = command("train", *small, "--steps=5", f"{flag}={run}")
        assert (code, out.splitlines().count(f"saved in {run}")) == (0, 1)


@facts("name", ["translate", "evaluate"])
def test_without_a_training_the_command_that_trains_is_told(
    tmp_path, command, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "transformer"])
    text = ["one"] if name == "translate" else []
    code, out, errors = command(name, *text)
    assert (code, out) == (2, "")
    place = re.escape(str(Path("runs") / "numbers"))
    said = f"^transformer: {place} .*got none.*--run.*: python -m transformer train\n$"
    assert re.search(said, errors)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    errors = command(name, *text, "--run=mine")[2]
    assert errors.endswith("train first: python -m transformer train --output=mine\n")


@facts("folder", ["runs", "runs/nombres", "nombres", "runs/numbers/checkpoints/step-5"])
def test_a_folder_near_a_training_leads_to_it(tmp_path, command, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    run = Path("runs") / "numbers"
    run.mkdir(parents=True)
    (run / "settings.json").touch()
    code, _, errors = command("translate", "one", f"--run={folder}")
    assert code == 2
    assert f"name the folder of one with --run, such as {run}, or train" in errors


def test_train_without_arguments_learns_to_translate(trained, command):
    code, out, errors = command("evaluate", "--run", trained, "--json")
    scores = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(scores) == ["exact_match", "token_accuracy", "perplexity", "bleu"]
    assert scores["exact_match"] >= 0.99
    assert scores["token_accuracy"] >= 0.999
    assert 1 < scores["perplexity"] < 1.2
    assert 99 < scores["bleu"] < 100.001


def test_what_is_evaluated_was_not_learned(trained):
    splits = TASKS["numbers"](seed=0)
    assert not set(splits.test) & set(splits.train)
    assert load_checkpoint(Run(trained).newest).step == 600


def test_train_ends_with_samples_and_the_next_command(
    trained, said, command, monkeypatch
):
    sources, targets = zip(*TASKS["numbers"](seed=0).validation[:3], strict=True)
    run = Path("runs") / "numbers"
    *samples, python, last = said[said.index(f"saved in {run}") + 2 :]
    assert python == f"in Python: transformer.load_training({str(run)!r})"
    assert samples[::2] == [f"  {source}" for source in sources]
    assert samples[1::2] == [f"    -> {target} (right)" for target in targets]
    monkeypatch.chdir(trained.parents[1])
    start, _, *arguments = shlex.split(last.removeprefix("now try: "))
    assert (start, arguments[0]) == (sys.executable, "transformer")
    assert command(*arguments[1:])[1] == f"{targets[0]}\n"


class Words:
    """A tokenizer that knows some words."""

    def __init__(self, unknown=()):
        self.strange = {*unknown}

    def unknown(self, text):
        return [word for word in text.split() if word in self.strange]


@pytest.fixture
def last_line(monkeypatch):
    """Return the last line that is told of a training, without a training."""

    def tell(folder, texts, unknown=()):
        loaded = (torch.nn.Identity(), Words(unknown), None)
        monkeypatch.setattr(Run, "load", lambda run: loaded)
        monkeypatch.setattr(
            "transformer.commands.samples.translate", lambda model, _, texts: texts
        )
        pairs, device = [Pair(text, "x") for text in texts], torch.device("cpu")
        *_, last = sample_lines(Run(folder), Settings(), pairs, device)
        return last

    return tell


def parsed_from(line):
    words = shlex.split(line.removeprefix("now try: "))
    arguments = words[words.index("transformer") + 1 :]
    return arguments, parser(arguments).parse_args(arguments)


DASHES = ["- a b", "--help", "--run=x", "-1", "-5 cats", "--", "a -b", "it's -- so"]


@facts("text", DASHES)
@facts("folder", [RUN, Path("-a folder")])
def test_the_next_command_reads_the_text_as_text(text, folder, last_line):
    arguments, parsed = parsed_from(last_line(folder, [text, "another"]))
    assert (parsed.texts, Path(parsed.run)) == ([text], folder)
    assert ("--" in arguments[:-1]) == text.startswith("-")  # only where it is needed


def test_the_next_command_has_a_text_whose_words_are_known(last_line):
    texts = ["a new cat", "a cat, new", "the new one", "an old cat", "a cat"]
    _, parsed = parsed_from(last_line(RUN, texts, unknown=["new"]))
    assert parsed.texts == ["an old cat"]  # also where it is not among those shown
    assert "now try" not in last_line(RUN, texts[:3], unknown=["new"])


def test_the_next_command_of_a_readers_own_pairs_works(
    tmp_path, command, small, monkeypatch
):
    cats, people = range(20), ("Ann", "Bob", "Eve", "Tom")
    lines = [f"-a cat-{c} saw {p}\tun chat vit {p}" for c in cats for p in people]
    (tmp_path / "mine.tsv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    _, out, _ = command("train", *small, "--steps=5", "--pairs=mine.tsv")
    arguments, parsed = parsed_from(out.splitlines()[-1])
    code, out, errors = command(*arguments)
    assert (code, errors, len(out.splitlines())) == (0, "", 1)
    assert parsed.texts[0].startswith("-a cat-")


@facts(
    "settings, found, judgement",
    [
        ({}, "deux", "right"),
        ({}, "dix", "wrong: it is deux"),
        ({"pairs": "mine.tsv"}, "deux", "as in the text"),
        ({"pairs": "mine.tsv"}, "dix", "the text has: deux"),
    ],
)
def test_a_translation_is_called_wrong_only_where_the_answer_is_exact(
    settings, found, judgement
):
    assert judged(found, "deux", Settings(**settings)) == judgement


def test_a_model_that_ends_at_once_is_not_shown_as_an_empty_line(monkeypatch, tmp_path):
    monkeypatch.setattr(Run, "load", lambda run: (torch.nn.Identity(), Words(), None))
    monkeypatch.setattr("transformer.commands.samples.translate", lambda *_: [""])
    pairs = [Pair("two", "deux")]
    lines = sample_lines(Run(tmp_path), Settings(), pairs, torch.device("cpu"))
    assert list(lines)[2] == "    -> (nothing: it ends at once) (wrong: it is deux)"


def test_evaluate_prints_a_table(trained, command):
    _, out, _ = command("evaluate", "--run", trained, "--split", "validation")
    lines = out.splitlines()
    assert lines[0] == "500 texts of the validation split"
    assert [line[:14].strip() for line in lines[1:]] == [
        "exact match",
        "token accuracy",
        "perplexity",
        "BLEU",
    ]


@facts("flags", [[], ["--beam-width=3"]], ids=["greedy", "beam"])
def test_translate_knows_the_grammar(trained, command, flags):
    code, out, errors = command("translate", "--run", trained, *flags, *HARD)
    assert (code, errors) == (0, "")
    assert out.splitlines() == list(HARD.values())


WAYS = [
    *("Four hundred and ninety-seven", "FOUR HUNDRED AND NINETY-SEVEN", "497"),
    *("four hundred ninety seven", "four hundred and ninety seven", " 0497 "),
]


def test_translate_understands_each_way_to_write_a_number(trained, command):
    code, out, errors = command("translate", "--run", trained, *WAYS)
    assert (code, errors) == (0, "")
    assert out.splitlines() == len(WAYS) * ["quatre cent quatre-vingt-dix-sept"]


@facts(
    "words, answers, told",
    [
        (next(iter(HARD)), [next(iter(HARD.values()))], "read as one text: 'four hun"),
        ("twenty one", ["vingt et un"], "read as one text: 'twenty one'; for several"),
        ("seven 8 eighty", ["sept", "huit", "quatre-vingts"], ""),
        ("six rabbits", [], "rabbits' in 'six rabbits'"),
    ],
)
def test_words_without_quotation_marks_are_one_text_if_they_make_sense(
    trained, command, words, answers, told
):
    code, out, errors = command("translate", "--run", trained, *words.split())
    assert (code, out.splitlines()) == (0 if answers else 2, answers)
    assert told in errors
    assert bool(told) == bool(errors)


def test_a_text_that_is_not_understood_gets_no_empty_line(trained, command):
    texts = ["six rabbits", "eighty", "one and"]
    code, out, errors = command("translate", "--run", trained, *texts)
    assert (code, out) == (2, "quatre-vingts\n")
    assert [line[:7] for line in errors.splitlines()[1:]] == ["text 1:", "text 3:"]


README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


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
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^(?:.*`)?(\S.*-m transformer [^`\n]*)", readme, re.MULTILINE)
    commands = [command for command in named if "…" not in command]
    assert len(commands) == 5
    for command in commands:
        start, *words = shlex.split(command, comments=True)
        assert start == ".venv/bin/python"
        words = words[words.index("transformer") + 1 :]
        parsed = parser(words).parse_args(words)
        assert parsed.command


def test_the_help_of_train_says_of_torchrun_what_the_readme_says(command, monkeypatch):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "orig_argv", [".venv/bin/python", "-m", "transformer"])
    _, out, _ = command("train", "--help")
    (line,) = (line for line in out.splitlines() if "--nproc-per-node" in line)
    assert f"`{line.strip()}`" in readme
    _, *words = shlex.split(line)
    start = "-m torch.distributed.run --nproc-per-node 2 -m transformer"
    assert words == [*start.split(), "train"]
    assert find_spec("torch.distributed.run")


@facts("columns", ["40", "100"])
def test_the_command_in_the_help_is_copied_in_one_piece(command, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "orig_argv", ["/a place with-hyphens-in/py%thon"])
    _, out, _ = command("train", "--help")
    assert out.count("\n  '/a place with-hyphens-in/py%thon' -m torch.distributed") == 1


def test_the_expected_words_are_those_of_the_grammar():
    assert [french(n) for n in (497, 80, 200_071)] == list(HARD.values())


def test_samples_are_the_same_for_a_seed(trained, command):
    flags = ["--sample", "--temperature=3", "--run", trained, *HARD]
    texts = [command("translate", f"--seed={seed}", *flags)[1] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


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


def test_samples_of_one_token_are_greedy(trained, command):
    flags = ["translate", "--sample", "--run", trained, *HARD]
    for limit in ("--top-k=1", "--top-p=0.01"):
        assert command(*flags, limit)[1].splitlines() == list(HARD.values())


@facts("ending", ["svg", "png"])
def test_translate_saves_what_the_model_looked_at(trained, command, tmp_path, ending):
    path = tmp_path / f"map.{ending}"
    text = next(iter(HARD))
    flags = ["--run", trained, "--attention", path]
    code, out, errors = command("translate", *flags, text)
    assert (code, out) == (0, f"{HARD[text]}\n")
    assert errors == f"where it looked is drawn in {path}.\n"
    start = {"svg": b"<?xml", "png": b"\x89PNG"}[ending]
    assert path.read_bytes().startswith(start)


def test_a_readers_own_pairs_are_learned(tmp_path, command, small, monkeypatch):
    path = tmp_path / "mine.tsv"
    lines = [f"{'a ' * (n % 30)}b{n}\t{'x ' * (n % 30)}y" for n in range(200)]
    path.write_text("\n".join([*lines, "", "no partner"]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    flags = [*small, "--steps=5", "--max-length=20", "--pairs=mine.tsv"]
    code, out, _ = command("train", *flags, f"--output={tmp_path / 'run'}")
    assert code == 0
    assert "left out" in out
    monkeypatch.chdir("/")  # the text is found from everywhere
    code, out, errors = command("evaluate", "--json", "--run", tmp_path / "run")
    assert code == 0
    assert re.search("left out [0-9]+ of 10 pairs with more than 20 tokens", errors)
    assert 0 <= json.loads(out)["exact_match"] <= 1


@pytest.fixture
def own(tmp_path, command, small):
    """The folder of a training on a reader's own pairs, which stand beside it."""
    lines = (f"the cat-{n} saw Ann\tle chat-{n} vit Anne\n" for n in range(40))
    (tmp_path / "mine.tsv").write_text("".join(lines))
    flags = [f"--pairs={tmp_path / 'mine.tsv'}", f"--output={tmp_path / 'run'}"]
    assert command("train", *small, "--steps=5", *flags)[0] == 0
    return tmp_path / "run"


def test_a_word_known_in_small_letters_is_read_so_and_noted(own, command):
    expected = command("translate", f"--run={own}", "the cat saw Ann")
    assert (expected[0], expected[2]) == (0, "")
    code, out, errors = command("translate", f"--run={own}", "The CAT saw Ann")
    assert (code, out) == expected[:2]
    assert errors == (
        "'The', 'CAT' was not in the training; the text is read as 'the cat saw Ann'.\n"
    )


def test_a_name_that_is_known_with_a_capital_is_read_so(own, command):
    expected = command("translate", f"--run={own}", "the cat saw Ann")
    code, out, errors = command("translate", f"--run={own}", "the cat saw ann")
    assert (code, out) == expected[:2]
    assert errors.endswith("the text is read as 'the cat saw Ann'.\n")


def test_of_several_spellings_the_one_in_small_letters_is_read(
    tmp_path, command, small
):
    lines = [f"the cat-{n} saw Polish Ann\tle chat-{n} vit Anne\n" for n in range(40)]
    lines += [f"polish cat-{n} slept\tchat-{n} dormait\n" for n in range(40)]
    (tmp_path / "mine.tsv").write_text("".join(lines))
    run = tmp_path / "run"
    flags = [f"--pairs={tmp_path / 'mine.tsv'}", f"--output={run}"]
    assert command("train", *small, "--steps=5", *flags)[0] == 0
    errors = command("translate", f"--run={run}", "POLISH ANN slept")[2]
    assert errors.endswith("the text is read as 'polish Ann slept'.\n")


def test_words_that_were_never_learned_are_named_whole(own, command):
    code, _, errors = command("translate", f"--run={own}", "the cat-99 saw Eve")
    assert code == 2
    assert "got 'cat-99', 'Eve'; use others" in errors


def test_evaluate_shows_how_far_it_is_in_a_terminal(own, command, monkeypatch):
    flags = ["evaluate", "--split=train", "--run", own]
    quiet = "mine.tsv: 40 of 40 lines kept\n"
    assert command(*flags)[2] == quiet
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert re.search("0/36 .*36/36 ", command(*flags)[2], re.DOTALL)
    assert command(*flags, "--json")[2] == quiet


def test_evaluate_finds_pairs_that_were_moved(own, command):
    text, moved = own.parent / "mine.tsv", own.parent / "moved.tsv"
    before = command("evaluate", f"--run={own}")
    text.rename(moved)
    code, _, errors = command("evaluate", f"--run={own}")
    assert code == 2
    assert f"there is no {text}; say where it is now with --pairs FILE" in errors
    assert command("evaluate", f"--run={own}", f"--pairs={moved}")[:2] == before[:2]
    moved.write_text(moved.read_text() + "a\tb\n")
    code, _, errors = command("evaluate", f"--run={own}", f"--pairs={moved}")
    assert (code, "the text must be the one" in errors) == (2, True)


def test_evaluate_takes_pairs_only_where_pairs_were_learned(trained, command):
    code, _, errors = command("evaluate", "--run", trained, "--pairs=mine.tsv")
    assert code == 2
    assert "--pairs must be for a training that had --pairs, got one that" in errors


def test_overwrite_begins_anew_and_leaves_other_files_alone(tmp_path, command, small):
    flags = ["train", *small, f"--output={tmp_path}", "--overwrite"]
    for steps in (4, 5):
        assert command(*flags, f"--steps={steps}")[0] == 0
        (tmp_path / "notes.txt").write_text("mine")
    assert load_checkpoint(Run(tmp_path).newest).step == 5
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_evaluate_gives_all_but_bleu_where_its_package_is_missing(
    trained, command, monkeypatch
):
    arguments = ["evaluate", "--run", trained, "--json"]
    _, whole, _ = command(*arguments)
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    code, out, errors = command(*arguments)
    assert code == 0
    assert out == re.sub(r", \"bleu\": [^,}]*", "", whole) != whole
    needed = r'BLEU needs sacrebleu.*pip install "tested-transformer\[training\]"\n$'
    assert re.search(needed, errors)


def test_evaluate_says_that_bleu_will_be_missing_before_it_works(
    trained, command, monkeypatch
):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    stopped = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("transformer.commands.evaluate.scores", stopped)
    code, out, errors = command("evaluate", "--run", trained)
    assert (code, out) == (130, "")
    assert "BLEU needs sacrebleu" in errors


def test_an_infinite_perplexity_is_null_in_json(trained, command, monkeypatch):
    monkeypatch.setattr(
        "transformer.commands.evaluate.scores",
        lambda *arguments, **options: {"perplexity": float("inf"), "bleu": 0.0},
    )
    _, out, _ = command("evaluate", "--json", "--run", trained)
    assert out == '{"perplexity": null, "bleu": 0.0}\n'


def test_patience_ends_a_training(tmp_path, command, small):
    flags = ["--steps=99", "--validate-every=1", "--patience=1", "--learning-rate=9"]
    command("train", *small, *flags, f"--output={tmp_path}")
    assert 0 < load_checkpoint(Run(tmp_path).newest).step < 99
