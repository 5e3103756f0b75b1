"""Wrong ways to load a Llama: what each changes, and how it shows."""

import gguf
import pytest
import torch
from torch.testing import assert_close
from transformers import LlamaConfig, LlamaForCausalLM

from chapters.model_zoo import wrong_loads
from chapters.model_zoo.wrong_loads import FAULTS, MODELS, Found, examine
from transformer.models import DecoderOnlyTransformer
from transformer.models.parameters import SkipInitialization
from transformer.zoo.gguf import PieceTokenizer, read_gguf
from transformer.zoo.llama import preset

CONFIG = preset(
    vocab_size=23,
    max_len=31,
    num_decoder_layers=12,
    d_model=24,
    d_ff=20,
    num_heads=4,
    num_kv_heads=2,
    tie_embeddings=True,
    rotary_layout="interleaved",
    rotary_base=100_000.0,
)


class Letters:
    """A tokenizer of 23 letters."""

    def encode(self, text):
        return [ord(letter) - ord("a") for letter in text]

    def decode(self, ids):
        return "".join(chr(ord("a") + id) for id in ids)


@pytest.fixture(scope="module")
def tensors():
    """A random Llama, each tensor moved away from where it starts."""
    generator = torch.Generator().manual_seed(0)
    model = DecoderOnlyTransformer(CONFIG)
    found = {}
    for name, x in model.state_dict().items():
        if name != wrong_loads.HEAD:
            moved = 0.3 * torch.randn(x.shape, generator=generator)
            found[name] = moved + 1 if x.ndim == 1 else moved
    return found


@pytest.fixture(scope="module")
def loads(tensors):
    writes = {"no mistake": {"prompts": ["abc"], "length": 4}}
    given = CONFIG, tensors, Letters()
    return {
        name: examine(wrong, *given, text="abcdefghij", **writes.get(name, {}))
        for name, wrong in (FAULTS | MODELS).items()
    }


def test_without_a_mistake_all_is_as_the_model_itself_computes(loads, tensors):
    model = DecoderOnlyTransformer(CONFIG).eval()
    model.load_state_dict(tensors, strict=False)
    ids = torch.arange(10)
    right = loads["no mistake"]
    with torch.no_grad():
        assert_close(right.logits, model(ids[None])[0])
    losses = -right.logits[:-1].log_softmax(-1)[torch.arange(9), ids[1:]]
    assert right.loss == pytest.approx(losses.mean().item(), rel=1e-5)
    assert right.states.shape == (12, 10, 24)
    assert (right.missing, right.surplus) == (0, 0)
    assert len(right.writes[0]) == 4


def test_every_mistake_moves_the_logits(loads):
    right = loads["no mistake"]
    for name, found in loads.items():
        assert (found.gap(right) > 1e-6) == (name != "no mistake"), name


def test_names_tell_only_what_needs_other_tensors(loads):
    fits = {name: (found.missing, found.surplus) for name, found in loads.items()}
    norms, layers = 2 * 12 + 1, 12
    assert fits.pop("LayerNorm") == (norms, 0)
    assert fits.pop("no gates") == (0, layers)
    assert fits.pop("B") == (1, 0)
    assert set(fits.values()) == {(0, 0)}


def test_a_first_token_feels_no_rotation(loads):
    right, first = loads["no mistake"], slice(1)
    assert loads["A"].gap(right, time=first) < 1e-5
    assert loads["C"].gap(right, time=first) < 1e-5
    for letter in "BDE":
        assert loads[letter].gap(right, time=first) > 1e-2


def test_the_first_wrong_layer_is_found(loads):
    layers = {x: loads[x].first_layer(loads["no mistake"]) for x in MODELS}
    assert layers == {"A": 1, "B": None, "C": 1, "D": None, "E": 3}


def test_a_small_difference_in_one_token_is_found():
    states = torch.ones(3, 5, 7)
    moved = states.clone()
    moved[1, 4, 6] += 0.005  # a fifth of this is below SAME
    one, other = (Found(0, 0, 0.0, x[0], x, ()) for x in (moved, states))
    assert one.first_layer(other) == 2


def test_layers_by_alphabet_follow_their_names():
    named = {f"decoder.layers.{n}.x": torch.tensor(n) for n in range(12)}
    _, found = wrong_loads.by_alphabet(CONFIG, named)
    order = [found[f"decoder.layers.{n}.x"].item() for n in range(12)]
    assert order == [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]


def test_two_parts_are_exchanged_in_every_layer():
    change = wrong_loads.exchanging("gate", "up")
    _, found = change(CONFIG, {"0.gate": 1, "0.up": 2, "1.gate": 3, "1.up": 4, "z": 5})
    assert found == {"0.gate": 2, "0.up": 1, "1.gate": 4, "1.up": 3, "z": 5}


def test_reordered_rows_make_the_half_layout_right(loads, tensors):
    found = examine(
        lambda config, given: (
            wrong_loads.replace(config, rotary_layout="half"),
            wrong_loads.reordered(config, given),
        ),
        CONFIG,
        tensors,
        Letters(),
        text="abcdefghij",
    )
    assert found.gap(loads["no mistake"]) < 1e-5


def test_the_default_dtype_and_the_random_numbers_stay(tensors):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    dtype = torch.get_default_dtype()
    examine(MODELS["B"], CONFIG, tensors, Letters(), text="abc")
    assert torch.get_default_dtype() == dtype
    assert torch.equal(torch.rand(2), expected)


def their_weights(reader, name):
    """Return a tensor of the file as Hugging Face's Llama holds it."""
    stored = next(x for x in reader.tensors if x.name == name)
    weights = torch.tensor(gguf.dequantize(stored.data, stored.tensor_type))
    if "attn_q" in name or "attn_k" in name:  # from neighbors to halves
        neighbors = weights.reshape(len(weights) // 64, 32, 2, -1)
        weights = neighbors.transpose(1, 2).reshape(weights.shape)
    return weights


def test_the_reference_on_the_page_is_what_other_peoples_code_computes(
    real_file, their_name
):
    config = LlamaConfig(
        vocab_size=49_152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
    )
    with SkipInitialization():  # which is replaced
        model = LlamaForCausalLM(config).eval()
    reader, tokenizer = gguf.GGUFReader(real_file), PieceTokenizer(read_gguf(real_file))
    stored = {
        name: their_weights(reader, their_name(name))
        for name in model.state_dict()
        if name != "lm_head.weight"
    }
    stored["lm_head.weight"] = stored["model.embed_tokens.weight"]  # tied
    model.load_state_dict(stored)
    ids = torch.tensor([tokenizer.encode("The capital of France is")])
    with torch.no_grad():
        logits = model(ids).logits[0, -1]
    for word, logit in wrong_loads.REFERENCE.items():
        (id,) = tokenizer.encode(word)
        assert logits[id].item() == pytest.approx(logit, abs=1e-3)
