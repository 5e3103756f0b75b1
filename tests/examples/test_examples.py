"""The examples do what they say: with a small model, and at night with the real one."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from transformer import DecoderOnlyTransformer, load_model, zoo
from transformer.data import IGNORED
from transformer.data.answers import mark_answer
from transformer.training import load_adapter
from transformer.zoo import llama

EXAMPLES = find_root(Path(__file__)) / "examples"
sys.path.insert(0, str(EXAMPLES))

import export  # noqa: E402
import fine_tune  # noqa: E402
import lora  # noqa: E402

TOKENS = torch.tensor([[5, 7, 3, 11], [4, 1, 9, 0]])


@pytest.fixture
def model():
    torch.manual_seed(0)
    sizes = {"vocab_size": 13, "d_model": 16, "d_ff": 10, "num_heads": 2}
    config = llama.preset(**sizes, num_decoder_layers=2, max_len=32, num_kv_heads=1)
    return DecoderOnlyTransformer(config).eval()


def test_a_text_is_cut_without_losing_a_token_that_pads_elsewhere():
    first, second = fine_tune.cut([*range(7), 0, 5, 6, 7], length=5, rows=1)
    assert first.target.tolist() == [[0, 1, 2, 3, 4]]
    assert second.labels.tolist() == [[6, 0, 5, 6]]


def test_fine_tuning_learns_the_text(model):
    batches = fine_tune.cut([1, 2, 3, 4, 5, 0] * 20, length=6, rows=4)
    losses = fine_tune.fine_tune(model, batches, steps=40, rate=0.01)
    assert losses[-1] < 0.3 * losses[0]


def test_lora_learns_a_text_of_a_small_model(model, tmp_path, monkeypatch, capsys):
    class Digits:
        """A tokenizer whose ids are digits."""

        encode = staticmethod(lambda text: [int(x) for x in text if x.isdigit()])
        decode = staticmethod(lambda ids: "".join(map(str, ids)))
        to_dict = staticmethod(dict)
        end_ids = (12,)

    (tmp_path / "text.txt").write_text("123450" * 200)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lora.zoo, "load", lambda name: (model, Digits()))
    monkeypatch.setattr("sys.argv", ["lora.py", "text.txt", "--rank=2", "--rate=0.03"])
    short = {"length": 6, "rows": 4}
    monkeypatch.setattr(lora, "cut", lambda ids, **sizes: fine_tune.cut(ids, **short))
    base, before = copy.deepcopy(model), model(TOKENS)
    lora.main()
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{2 * 2 * (16 + 16) + 2 * 2 * (16 + 8)} of ")
    first, last = (float(word) for word in said[1].split() if word[0].isdigit())
    assert last < first
    learned = model(TOKENS)
    assert not torch.allclose(learned, before)
    assert_close(load_model("runs/lora")(TOKENS), learned)
    load_adapter(base, "runs/lora/adapter")
    assert_close(base(TOKENS), learned)


def test_of_talks_only_the_answers_are_learned(tmp_path):
    class Said:
        """A tokenizer of talks, whose ids are lengths of what is said."""

        def chat(self, messages):
            return [1, *(len(message["content"]) for message in messages)]

        def answered(self, messages):
            return mark_answer(self.chat(messages[:-1]), self.chat(messages[-1:]))

    said = [{"role": role, "content": role} for role in ("user", "assistant")]
    (tmp_path / "talks.jsonl").write_text(f"{json.dumps(said)}\n" * 5)
    batches, begin = lora.read(tmp_path / "talks.jsonl", Said())
    assert begin == [1, 4]
    assert [batch.labels.tolist() for batch in batches] == [
        [[IGNORED, 1, 9]] * 4,
        [[IGNORED, 1, 9]],
    ]


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@facts("name", ["model.pt2", "model.onnx"])
@facts("shape", [(1, 2), (3, 17), (2, 31)])
def test_what_is_exported_takes_texts_of_any_length(model, shape, name, tmp_path):
    program = export.write(export.export(model, longest=32), tmp_path / name)
    tokens = torch.randint(13, shape)
    assert_close(program(tokens), model(tokens), rtol=1e-4, atol=1e-5)


SCRIPTS = {
    "fine_tune.py": ["--steps=2", "--rows=1", "--length=33"],
    "lora.py": ["--steps=2"],
}


@facts("script", SCRIPTS)
def test_the_scripts_work_with_the_real_model(script, tmp_path):
    text = "The sea was calm. Nobody spoke, and the boat went on by itself. " * 60
    (tmp_path / "text.txt").write_text(text)
    command = [sys.executable, EXAMPLES / script, "text.txt", *SCRIPTS[script]]
    run = subprocess.run(
        [*command, "--output=saved"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "loss" in run.stdout
    model, tokenizer = zoo.load(tmp_path / "saved")
    assert tokenizer.decode(tokenizer.encode("the sea")) == "the sea"
    assert model(torch.tensor([tokenizer.encode("the sea")])).size(-1) == len(tokenizer)


@facts("name", ["model.pt2", "model.onnx"])
def test_the_real_model_is_exported(name, tmp_path):
    command = [sys.executable, EXAMPLES / "export.py", f"--output={name}"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "difference of the logits" in run.stdout
