"""The command `write`, with a small model whose next token is known."""

import copy
import io
import warnings

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.commands import main, write
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training import attach_adapter, merge_adapter, save_adapter
from transformer.zoo.gguf import PieceTokenizer
from transformer.zoo.installed import LanguageModel

USUAL = {"temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1}
ALONE = {"temperature": 1.0, "repetition_penalty": 1.1}


class Letters(PieceTokenizer):
    """A tokenizer whose ids are bytes; the id 256 ends a text."""

    end_id = 256
    end_ids = (end_id,)

    def __init__(self):
        pass

    def encode(self, text):
        return list(text.encode())

    def decode(self, ids):
        return bytes(id for id in ids if id < 256).decode(errors="replace")

    def chat(self, messages):
        return [*b"> ", *self.encode(messages[0]["content"])]


@pytest.fixture(autouse=True)
def model(monkeypatch):
    """A model that goes on with the letters of a sentence, one after the other."""
    sentence = "Paris, é"
    config = TransformerConfig(
        vocab_size=257, num_encoder_layers=0, num_decoder_layers=1, d_model=8, d_ff=8
    )
    model = DecoderOnlyTransformer(config)
    plan = [*sentence.encode(), 256]

    def forward(module, inputs, output):
        row = torch.full_like(output, -50.0)
        row[..., plan[len(asked) % len(plan)]] = 50.0
        asked.append(inputs)
        return row

    asked = []
    model.head.register_forward_hook(forward)
    monkeypatch.setattr(write, "load", lambda name: LanguageModel(model, Letters()))
    return model


def run(*arguments):
    return main(["write", *arguments])


def test_the_text_goes_on_and_ends_with_its_end(capsys):
    assert run("In ", "--greedy") == 0
    said = capsys.readouterr()
    assert said.out == "In Paris, é\n"
    assert said.err.startswith("10 tokens, ")
    assert said.err.endswith(" a second\n")


def test_words_need_no_quotation_marks(capsys):
    assert run("In", "the", "--greedy") == 0
    assert capsys.readouterr().out == "In theParis, é\n"


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self):
        return True


@facts(
    "words, file",
    [([], io.StringIO("In \n")), (["-"], io.StringIO("In ")), (["-"], Terminal("In "))],
)
def test_the_text_may_come_through_a_pipe(words, file, monkeypatch, command):
    monkeypatch.setattr("sys.stdin", file)
    code, out, _ = command("write", *words, "--greedy")
    assert (code, out) == (0, "In Paris, é\n")


@facts(
    "file, said",
    [
        (Terminal("In "), "there must be a TEXT"),
        (None, "there must be a TEXT"),
        (io.StringIO(""), "there must be a TEXT"),
        (
            io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="utf-8"),
            "texts must be in UTF-8",
        ),
    ],
)
def test_no_text_is_refused_before_the_model_is_loaded(
    file, said, monkeypatch, command
):
    monkeypatch.setattr("sys.stdin", file)
    monkeypatch.setattr(write, "load", None)
    code, out, err = command("write", "--greedy")
    assert (code, out) == (2, "")
    assert said in err


def test_an_answer_comes_without_the_question(capsys):
    assert run("Where?", "--chat", "--greedy") == 0
    assert capsys.readouterr().out == "Paris, é\n"


def test_in_a_talk_each_line_is_answered_with_all_that_was_said_before(
    monkeypatch, capsys
):
    def chat(tokenizer, messages):
        read.append([(one["role"], one["content"]) for one in messages])
        return [*b"> "]

    read = []
    monkeypatch.setattr(Letters, "chat", chat)
    monkeypatch.setattr("sys.stdin", Terminal("Where?\nWhere else?\n\nnever read\n"))
    assert run("--chat", "--greedy") == 0
    first, second = ("user", "Where?"), ("user", "Where else?")
    assert read == [[first], [first, ("assistant", "Paris, é"), second]]
    assert capsys.readouterr().out == "> Paris, é\n> Paris, é\n> "


def test_a_talk_ends_with_the_input_and_takes_an_adapter(adapter, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Terminal("Where?\n"))
    assert run("--chat", "--greedy", "--adapter", str(adapter[0])) == 0
    assert capsys.readouterr().out == "> Paris, é\n> "


def test_what_a_talk_must_not_hold_is_said_in_a_sentence(monkeypatch, command):
    def chat(tokenizer, messages):
        raise ValueError("a message must hold no control token")

    monkeypatch.setattr(Letters, "chat", chat)
    monkeypatch.setattr("sys.stdin", Terminal("<|im_end|>\n"))
    code, out, err = command("write", "--chat")
    assert (code, out) == (2, "> ")
    assert err == "transformer: a message must hold no control token\n"


def test_no_more_is_written_than_is_asked_for(capsys):
    assert run("In ", "--max-new-tokens", "1") == 0
    said = capsys.readouterr()
    assert said.out == "In P\n"
    assert said.err.startswith("1 token, ")


def test_letters_come_when_they_are_whole(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(
        write.Stream, "show", lambda stream, text: shown.append(text), raising=True
    )
    run("In ", "--greedy")
    assert "Paris, " in shown
    assert not any("\ufffd" in text for text in shown)


def test_ctrl_c_ends_the_text_and_tells_how_fast_it_came(monkeypatch, capsys):
    watch = write.Stream.watch

    def interrupted(stream, tokens):
        watch(stream, tokens)
        if len(stream.ids) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(write.Stream, "watch", interrupted)
    assert run("In ", "--greedy") == 0
    said = capsys.readouterr()
    assert said.out == "In Paris\n"
    assert said.err.startswith("5 tokens, ")


@facts(
    "flags, options",
    [
        ([], USUAL),
        (["--seed", "3"], USUAL | {"seed": 3}),
        (["--seed", "0"], USUAL | {"seed": 0}),
        (["--repetition-penalty", "1.5"], USUAL | {"repetition_penalty": 1.5}),
        (["--top-p", "0.9"], ALONE | {"top_p": 0.9}),
        (["--min-p", "0.1", "--top-k", "7"], ALONE | {"min_p": 0.1, "top_k": 7}),
        (["--temperature", "2.0"], ALONE | {"temperature": 2.0}),
        (["--greedy"], {}),
        (["--greedy", "--seed", "3"], {}),
    ],
)
def test_flags_say_how_tokens_are_drawn(flags, options, monkeypatch):
    given = {}
    monkeypatch.setattr(write, "generate", lambda *_, **said: given.update(said))
    assert run("In ", *flags) == 0
    for name in ("max_new_tokens", "eos_id", "watch", "compile"):
        given.pop(name)
    assert given == options


@facts(
    "arguments, said",
    [
        ([""], "there must be a TEXT"),
        (
            ["a", "--greedy", "--top-p", "0.5"],
            "got --greedy and --top-p; leave one out",
        ),
        (["a", "--model", "gpt2"], "one of smollm2-135m, verses, got 'gpt2'"),
        (["a", "--device", "tpu"], "--device must be one that is here, got 'tpu'"),
    ],
)
def test_what_cannot_be_is_said_before_the_model_is_loaded(
    arguments, said, capsys, monkeypatch
):
    monkeypatch.setattr(write, "load", None)
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("transformer: ")
    assert err.count("\n") == 1


@pytest.mark.filterwarnings("always")
@facts("flags", [[], ["--compile"]])
def test_steps_are_compiled_where_that_is_asked_for(monkeypatch, capsys, flags):
    def generate(model, tokens, *, compile, **options):
        asked.append(compile)
        warnings.warn("A compiler is missing.", stacklevel=2)

    asked = []
    monkeypatch.setattr(write, "generate", generate)
    before = warnings.showwarning
    assert run("Paris", *flags) == 0
    assert asked == [bool(flags)]
    assert "A compiler is missing.\n" in capsys.readouterr().err.splitlines(
        keepends=True
    )
    assert warnings.showwarning is before


@pytest.fixture
def adapter(model, tmp_path):
    """A folder with what the model has learned since."""
    learned = attach_adapter(copy.deepcopy(model), rank=2)
    for name, parameter in learned.named_parameters():
        if name.endswith("up"):
            torch.nn.init.ones_(parameter)
    save_adapter(learned, tmp_path / "adapter")
    return tmp_path / "adapter", merge_adapter(learned)


def test_an_adapter_is_merged_before_the_model_writes(adapter, model, capsys):
    folder, merged = adapter
    assert run("In ", "--greedy", "--adapter", str(folder)) == 0
    assert capsys.readouterr().out == "In Paris, é\n"
    wanted = [part.weight for part in merged]
    attention = model.decoder.layers[0].self_attention
    found = [attention.query_projection.weight, attention.value_projection.weight]
    assert all(map(torch.equal, found, wanted))


def test_what_is_no_adapter_is_said_before_the_model_is_loaded(
    refused, monkeypatch, tmp_path
):
    monkeypatch.setattr(write, "load", None)
    for folder in (tmp_path, tmp_path / "nowhere"):
        words = [str(folder), "must be the folder of an adapter"]
        refused("write", "a", "--adapter", folder, words=words)


def test_an_adapter_of_another_model_is_refused(adapter, model, refused):
    with torch.no_grad():
        model.decoder.layers[0].self_attention.value_projection.weight.zero_()
    words = ["the adapter must be of this model", "value_projection"]
    refused("write", "a", "--adapter", adapter[0], words=words)
