"""Models with weights in eight bits compute nearly the same, and take less room."""

import copy

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.decoding import generate, greedy_decode
from transformer.layers import Int8Linear
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    load_model,
    quantize_weights,
    save_model,
)

SIZES = {"vocab_size": 23, "d_model": 20, "d_ff": 28, "num_heads": 5}
DECODER = TransformerConfig(
    **SIZES, num_encoder_layers=0, num_decoder_layers=2, position="rotary", norm="rms"
)
BOTH = TransformerConfig(**SIZES, num_encoder_layers=1, num_decoder_layers=1)


@pytest.fixture
def model():
    return DecoderOnlyTransformer(DECODER).eval()


def numbers_in(module):
    return sum(t.nbytes for t in (*module.parameters(), *module.buffers()))


def test_every_linear_map_is_replaced(decoder_only, encoder_only, seq2seq):
    for model in (decoder_only, encoder_only, seq2seq):
        wanted = [n for n, m in model.named_modules() if isinstance(m, nn.Linear)]
        model = quantize_weights(copy.deepcopy(model))
        kinds = {n: type(m) for n, m in model.named_modules()}
        assert {kinds[name] for name in wanted} == {Int8Linear}
        assert nn.Linear not in kinds.values()


def test_logits_are_those_of_the_matrices_that_are_stored(decoder_only, tokens):
    """In float64 no kernel rounds: only the matrices differ."""
    model = quantize_weights(copy.deepcopy(decoder_only))
    floats = copy.deepcopy(decoder_only)
    if floats.config.tie_embeddings:  # a matrix of its own for the head
        weight = floats.head.projection.weight
        floats.head.projection.weight = nn.Parameter(weight.detach().clone())
    with torch.no_grad():
        for name, part in floats.named_modules():
            if isinstance(part, nn.Linear):
                part.weight.copy_(model.get_submodule(name).weight)
    assert_close(model(tokens), floats(tokens), rtol=1e-12, atol=1e-12)


def test_the_model_is_changed_and_returned(model):
    assert quantize_weights(model) is model
    assert isinstance(model.head.projection, Int8Linear)


def test_a_shared_matrix_stays_float_where_tokens_are_embedded(model):
    embedding = model.embedding.tokens.embedding.weight
    before = embedding.detach().clone()
    assert model.head.projection.weight is embedding
    quantize_weights(model)
    assert torch.equal(model.embedding.tokens.embedding.weight, before)


def test_linear_maps_take_a_quarter_of_the_room(model):
    layer = model.decoder.layers[0].feed_forward
    before = numbers_in(layer)
    scales = 4 * (DECODER.d_ff + DECODER.d_model)  # and the biases, which stay
    matrices = 4 * 2 * DECODER.d_ff * DECODER.d_model
    quantize_weights(model)
    assert numbers_in(layer) == before - matrices * 3 // 4 + scales


@pytest.mark.parametrize("use_cache", [False, True])
def test_texts_are_continued(model, use_cache):
    quantize_weights(model)
    prompt = torch.tensor([[3, 5, 7]])
    new = greedy_decode(model, prompt, max_new_tokens=6, use_cache=use_cache)
    with torch.no_grad():
        scores = model(torch.cat((prompt, new), dim=1)[:, :-1])[0, 2:]
    best = scores.max(dim=-1).values
    chosen = scores.gather(-1, new[0, :, None])[:, 0]
    assert_close(chosen, best, rtol=0.02, atol=0.02)  # as far as the kernel rounds


def test_a_translator_is_continued_too():
    model = quantize_weights(Transformer(BOTH).eval())
    new = generate(model, [3, 5, 7], max_new_tokens=4, bos_id=1)
    assert len(new) <= 4


def test_what_is_quantized_is_not_saved(model, tmp_path):
    quantize_weights(model)
    with pytest.raises(ValueError, match=r"floats to be saved, got 13 maps.*'decoder"):
        save_model(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.fixture
def hidden(model):
    """A model whose weights PyTorch has put behind methods."""
    return torch.ao.quantization.quantize_dynamic(model, {nn.Linear})


OF_PYTORCH = {
    "save": (lambda model: save_model(model, "unsaved"), "a model must.*saved, got 13"),
    "quantize": (quantize_weights, "a model must .* to be quantized, got 13 maps"),
}


@facts("use, words", OF_PYTORCH.values(), ids=[*OF_PYTORCH])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
def test_what_pytorch_has_quantized_is_refused(hidden, use, words, refuses):
    refuses(lambda: use(hidden), ValueError, words)
    assert generate(hidden, [3, 5, 7], max_new_tokens=2).shape == (1, 2)


def test_what_was_saved_before_can_be_quantized(model, tmp_path):
    save_model(model, tmp_path)
    loaded = quantize_weights(load_model(tmp_path))
    tokens = torch.tensor([[1, 2, 3]])
    with torch.no_grad():
        assert torch.equal(loaded(tokens), quantize_weights(model)(tokens))


@facts(
    "model, bits, kind, words",
    [
        (nn.Linear(2, 2), 8, ValueError, "model.*got Linear without"),
        (nn.LayerNorm(3), 8, ValueError, "model.*got LayerNorm"),
        (
            Int8Linear(nn.Linear(2, 2)),
            8,
            ValueError,
            "a model.*got 1 maps that are quantized, such as 'itself'; pass",
        ),
        (nn.Sequential(nn.Linear(2, 2)), 4, ValueError, "bits must be 8.*got 4"),
        (nn.Sequential(nn.Linear(2, 2)), True, ValueError, "bits must be 8.*got True"),
        (nn.Sequential(nn.Linear(2, 2)), 8.0, ValueError, "bits must be 8.*got 8.0"),
    ],
)
def test_what_cannot_be_quantized_is_refused(model, bits, kind, words, refuses):
    refuses(lambda: quantize_weights(model, bits=bits), kind, words)


def test_a_model_is_quantized_once(model):
    quantize_weights(model)
    said = r"floats to be quantized, got 13 maps .*; pass the model as it was before"
    with pytest.raises(ValueError, match=said):
        quantize_weights(model)


def test_a_model_with_a_weight_that_is_no_number_is_left_as_it_came(model):
    with torch.no_grad():
        model.head.projection.weight[2, 3] = float("nan")
    with pytest.raises(ValueError, match="must be finite"):
        quantize_weights(model)
    assert not any(isinstance(part, Int8Linear) for part in model.modules())


def test_no_matrix_is_made_of_its_bytes_while_a_text_is_written(monkeypatch):
    sizes = {**SIZES, "d_model": 32, "d_ff": 48, "num_heads": 4, "vocab_size": 24}
    config = TransformerConfig(**sizes, num_encoder_layers=0, num_decoder_layers=2)
    model = quantize_weights(DecoderOnlyTransformer(config).eval())
    cache = model.new_cache(1, max_len=9)
    with torch.no_grad():
        model(torch.tensor([[3, 5, 7]]), cache=cache)
        monkeypatch.setattr(Int8Linear, "weight", property(pytest.fail))
        logits = model.head(model.hidden_states(torch.tensor([[2]]), cache=cache))
    assert bool(logits.isfinite().all())
