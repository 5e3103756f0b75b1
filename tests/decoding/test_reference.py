"""Decoding equals that of Hugging Face, on small random models of the zoo."""

import pytest
import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MarianConfig,
    MarianMTModel,
)

from bookkit.checking.facts import facts
from transformer.decoding import beam_search, greedy_decode
from transformer.zoo import from_hugging_face

NEW = 11
SAME = {"rtol": 0, "atol": 0}
EOS = {"bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 0}


def gpt2():
    without = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    sizes = {"n_embd": 20, "n_layer": 2, "n_head": 4, "n_inner": 28, "n_positions": 31}
    return GPT2LMHeadModel(GPT2Config(vocab_size=23, **sizes, **without, **EOS))


def llama():
    sizes = {"hidden_size": 20, "intermediate_size": 28, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6}
    config = LlamaConfig(
        vocab_size=23, max_position_embeddings=31, **sizes, **heads, **EOS
    )
    return LlamaForCausalLM(config)


def marian():
    stacks = {
        f"{stack}_{name}": size
        for stack in ("encoder", "decoder")
        for name, size in (("layers", 2), ("ffn_dim", 28), ("attention_heads", 5))
    }
    config = MarianConfig(
        vocab_size=23,
        d_model=20,
        max_position_embeddings=31,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.0,
        forced_eos_token_id=None,
        decoder_start_token_id=0,
        **stacks,
        **EOS,
    )
    return MarianMTModel(config)


MODELS = {"gpt2": gpt2, "llama": llama, "marian": marian}


@pytest.fixture(params=MODELS, scope="module")
def pair(request):
    """A model of ours and its reference, with every parameter perturbed."""
    torch.manual_seed(0)
    theirs = MODELS[request.param]().eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            if parameter.requires_grad:
                parameter += 0.3 * torch.randn_like(parameter)
    options = {"bos_id": 0} if request.param == "marian" else {}
    return from_hugging_face(theirs), theirs, options


@pytest.fixture
def prompt():
    return torch.randint(2, 23, (5, 7))


def theirs_of(theirs, prompt, eos=None, **settings):
    """What a reference generates: the new tokens, or all it returns."""
    theirs.generation_config.eos_token_id = eos
    settings = {"max_new_tokens": NEW, "do_sample": False, **settings}
    found = theirs.generate(prompt, **settings)
    start = 1 if theirs.config.is_encoder_decoder else prompt.size(1)
    if isinstance(found, torch.Tensor):
        return found[:, start:]
    return found.sequences[:, start:], found.sequences_scores


def ended(tokens, eos):
    """What follows the end becomes 0, whatever stands there; as wide as can be."""
    end = tokens == eos
    tokens = tokens.masked_fill(end.cumsum(dim=-1) - end.long() > 0, 0)
    missing = tokens.new_zeros(*tokens.shape[:-1], NEW - tokens.size(-1))
    return torch.cat((tokens, missing), dim=-1)


def test_greedy_decoding_equals_the_reference(pair, prompt, parity):
    ours, theirs, options = pair
    eos = int(theirs_of(theirs, prompt)[2, 4])
    expected = theirs_of(theirs, prompt, eos)
    found = greedy_decode(ours, prompt, max_new_tokens=NEW, eos_id=eos, **options)
    compared = parity(greedy_decode, type(theirs).generate)
    compared.values(ended(found, eos), ended(expected, eos), **SAME)


def test_prompts_of_different_lengths_equal_the_reference(pair, prompt, parity):
    ours, theirs, options = pair
    lengths = torch.tensor([7, 3, 5, 2, 6])
    mask = torch.arange(7) < lengths[:, None]
    found = greedy_decode(ours, prompt, max_new_tokens=NEW, mask=mask, **options)
    for row, tokens, length in zip(found, prompt, lengths, strict=True):
        expected = theirs_of(theirs, tokens[None, :length])[0]
        parity(greedy_decode, type(theirs).generate).values(row, expected, **SAME)


@facts("width", [2, 3, 5])
def test_beam_search_equals_the_reference(pair, prompt, width, parity):
    ours, theirs, options = pair
    returned = {"return_dict_in_generate": True, "output_scores": True}
    beam = {"num_beams": width, "num_return_sequences": 2, "length_penalty": 0.0}
    beam |= {"early_stopping": "never"} | returned
    eos = int(theirs_of(theirs, prompt)[2, 4])
    expected, scores = theirs_of(theirs, prompt, eos, **beam)
    options = {**options, "length_penalty": 0.0, "num_results": 2, "eos_id": eos}
    found = beam_search(ours, prompt, beam_width=width, max_new_tokens=NEW, **options)
    texts = found.tokens.flatten(end_dim=1)
    assert (texts == eos).any()
    compared = parity(beam_search, type(theirs).generate)
    compared.values(ended(texts, eos), ended(expected, eos), **SAME)
    # Sums of up to eleven logarithms in float32 there.
    compared.values(found.scores.flatten().float(), scores, rtol=1e-5, atol=1e-5)
