"""Each option of a network or of latent attention meets each kind of attention.

Both together are refused by the configuration, or they keep the laws.
"""

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import MIXERS, TransformerConfig
from transformer.costs import cache_bytes, parameter_budget
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    load_model,
    save_model,
)

# Sums of at most a hundred products in float64, through two layers.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
SIZES = {"vocab_size": 13, "max_len": 19, "d_model": 16, "d_ff": 11, "num_heads": 4}
SIZES |= {"num_decoder_layers": 2, "num_encoder_layers": 0, "norm_placement": "pre"}
SIZES |= {"position": "rotary", "state_size": 5, "state_groups": 2}
EXPERTS = {"num_experts": 4, "gated": True, "activation": "silu"}
GROUPS = {"router": "sigmoid", "expert_groups": 2, "shared_experts": 2, "d_expert": 7}
LATENT = {"d_latent": 5, "d_rotary": 2}
OPTIONS = {
    "experts": EXPERTS | {"router_bias": True, "bias": False},
    "experts in groups": EXPERTS | GROUPS | {"expert_scale": 2.5},
    "experts in all groups": EXPERTS
    | GROUPS
    | {"groups_per_token": 2, "normalize_shares": False, "experts_per_token": 3},
    "dense layers first": EXPERTS | {"dense_layers": 1},
    "clamped gates": {"gated": True, "gate_limit": 0.5, "activation": "gelu_sigmoid"},
    "clamped experts": EXPERTS | {"gate_limit": 0.5},
    "unrounded YaRN": {
        "rotary_scaling": "yarn_unrounded",
        "rotary_factor": 2.0,
        "rotary_original_len": 8,
    },
    "latent": LATENT,
    "latent queries": LATENT | {"query_latent": 3, "d_value": 2, "d_head": 6},
}
KINDS = {
    "multi-head": {},
    "grouped": {"num_kv_heads": 2},
    "with biases": {"attention_bias": True},
    "normed": {"query_key_norm": True},
    "sinks": {"learned_sinks": True},
    "window": {"window": 3},
    "windows in turn": {"window": (3, None)},
    "first tokens": {"window": 3, "sink_tokens": 1},
    "two bases": {"window": (3, None), "local_rotary_base": 50.0},
    "parallel": {"parallel_residual": True},
    "no network": {"feed_forward": False},
    "a memory": {"num_encoder_layers": 1},
    **{
        name: {"position": name}
        for name in ("learned", "none", "relative", "relative_keys", "alibi")
    },
    **{name: {"mixers": name, "position": "none"} for name in MIXERS[1:]},
    **{f"{name}, softmax": {"mixers": f"{name} softmax"} for name in MIXERS[1:]},
}
# What a configuration refuses, because the one leaves no place for the other.
OF_EXPERTS = ("no network", "a memory")
REFUSED = {
    **{name: OF_EXPERTS for name, x in OPTIONS.items() if "num_experts" in x},
    **dict.fromkeys(
        ("latent", "latent queries"),
        (
            *("grouped", "normed", "sinks", "window", "windows in turn"),
            *("first tokens", "two bases", "a memory"),
            *("learned", "none", "relative", "relative_keys", "alibi", *MIXERS[1:]),
        ),
    ),
}
TOKENS = torch.tensor([[5, 7, 3, 11, 2, 8], [4, 1, 9, 6, 12, 3]])
PAIRS = {f"{a}, {b}": (a, b) for a in OPTIONS for b in KINDS}
EACH_PAIR = facts("option, kind", PAIRS.values(), ids=[*PAIRS])


def configure(option, kind):
    return TransformerConfig(**SIZES | OPTIONS[option] | KINDS[kind])


def build(option, kind):
    """A model in which every parameter is random."""
    torch.manual_seed(0)
    config = configure(option, kind)
    whole = Transformer if config.num_encoder_layers else DecoderOnlyTransformer
    model = whole(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model


def logits_of(model, tokens, cache=None):
    if isinstance(model, DecoderOnlyTransformer):
        return model(tokens, cache=cache)
    memory = model.encode(TOKENS)
    return model.decode(tokens, memory, cache=cache)


@EACH_PAIR
def test_a_pair_is_refused_by_its_fields_or_keeps_the_laws(
    option, kind, tmp_path, refuses
):
    if kind in REFUSED.get(option, ()):
        refuses(lambda: configure(option, kind), ValueError, "got")
        return
    with torch.no_grad():
        model = build(option, kind)
        whole = logits_of(model, TOKENS)
        changed = TOKENS.clone()
        changed[:, 4:] = (changed[:, 4:] + 3) % 12 + 1
        assert_close(logits_of(model, changed)[:, :4], whole[:, :4], **EXACT)
        seq2seq = isinstance(model, Transformer)
        cache = model.new_cache(model.encode(TOKENS) if seq2seq else 2)
        parts = [TOKENS[:, a:b] for a, b in ((0, 3), (3, 4), (4, 6))]
        found = [logits_of(model, part, cache) for part in parts]
        assert_close(torch.cat(found, dim=1), whole, **EXACT)
        save_model(model, tmp_path)
        assert torch.equal(logits_of(load_model(tmp_path), TOKENS), whole)


@EACH_PAIR
def test_all_that_can_learn_of_a_pair_does(option, kind):
    if kind in REFUSED.get(option, ()):
        return
    model = build(option, kind).train()
    logits_of(model, TOKENS).square().sum().backward()
    for name, parameter in model.named_parameters():
        silent = name.endswith(("key_projection.bias", "choice_bias"))
        assert silent or parameter.grad is not None, name


@facts("option", ["experts", "latent"])
def test_costs_are_not_counted_yet(option, refuses):
    config = configure(option, "multi-head")
    for count in (parameter_budget, cache_bytes):
        words = "costs are counted.*got num_experts=.* and d_latent="
        refuses(lambda count=count: count(config), ValueError, words)
