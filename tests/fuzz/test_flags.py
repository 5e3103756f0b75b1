"""Flags of the command line: a result, or one sentence, and never a traceback."""

import io
import string
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.commands import main
from transformer.training import CheckpointError

fuzz = settings.get_profile("fuzz")
# Names that lead nowhere else.
LETTERS = st.text(string.ascii_letters + string.digits + " -_=é\udcff\0\n", max_size=9)
WORDS = st.one_of(
    LETTERS,
    st.integers().map(str),
    st.integers(-2, 9).map(str),
    st.floats().map(str),
    st.sampled_from(["", "1e999", "1" + "0" * 400, "9" * 5_000, "0x1", "1_0", "٣"]),
    st.sampled_from(["cpu", "meta", "cuda", "numbers", "reversal", "words", "rotary"]),
)
COMMON = ["--device", "--threads"]
FLAGS = {
    "train": [
        *("--task", "--corpus", "--pairs", "--examples", "--tokenizer", "--vocab-size"),
        *("--max-length", "--layers", "--d-model", "--d-ff", "--heads", "--position"),
        *("--norm-placement", "--dropout", "--steps", "--batch-size", "--schedule"),
        *("--learning-rate", "--warmup", "--seed", "--smoothing", "--max-norm"),
        *("--accumulate", "--precision", "--validate-every", "--patience"),
        *("--checkpoint-every", "--output", "--overwrite", "--shard", *COMMON),
    ],
    "translate": [
        *("--run", "--beam-width", "--sample", "--temperature", "--top-k", "--top-p"),
        *("--min-p", "--repetition-penalty", "--seed", "--attention", *COMMON),
    ],
    "evaluate": ["--run", "--split", "--beam-width", "--json", "--pairs", *COMMON],
    "write": [
        *("--model", "--chat", "--max-new-tokens", "--greedy", "--temperature"),
        *("--top-k", "--top-p", "--min-p", "--repetition-penalty", "--seed"),
        *("--compile", "--adapter", *COMMON),
    ],
}
FLAGS |= {"help": FLAGS["write"], "tranlsate": FLAGS["train"]}


@pytest.fixture
def no_work(tmp_path, monkeypatch):
    """Leave out what flags do not decide, in an empty folder."""

    def stop(*arguments, **options):
        raise CheckpointError("the rest must be left out, got here.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("one\n"))
    monkeypatch.setattr("transformer.commands.train.train_run", stop)
    monkeypatch.setattr("transformer.commands.folder.Run.load", stop)
    monkeypatch.setattr("transformer.commands.write.load", stop)
    monkeypatch.setattr("torch.set_num_threads", lambda number: None)


@pytest.mark.usefixtures("no_work")
@facts("name", FLAGS)
@fuzz
@given(data=st.data())
def test_a_command_ends_with_a_sentence(name, data):
    words = [name]
    for flag in data.draw(st.lists(st.sampled_from(FLAGS[name]), max_size=5)):
        shape = data.draw(st.sampled_from(["joined", "apart", "alone"]))
        value = [] if shape == "alone" else [data.draw(WORDS)]
        words += [f"{flag}={value[0]}"] if shape == "joined" else [flag, *value]
    words += data.draw(st.lists(WORDS, max_size=2))
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(words)
        except SystemExit as end:  # how the parser of arguments ends
            code = end.code
    last = errors.getvalue().rstrip("\n").splitlines()[-1:]
    if code == 0:
        assert out.getvalue().startswith("usage: ")  # help was asked for
    else:
        assert code == 2
        assert "Traceback" not in errors.getvalue()
        assert last, words
