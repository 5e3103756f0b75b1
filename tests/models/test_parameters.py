"""How parameters start, and how many there are."""

from dataclasses import replace

import torch

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers.initialization import INITIALIZATIONS
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    count_parameters,
    initialize,
)
from transformer.models.parameters import SkipInitialization

CONFIG = TransformerConfig(
    vocab_size=997,
    num_encoder_layers=2,
    num_decoder_layers=3,
    d_model=64,
    d_ff=127,
    num_heads=4,
    attention_bias=True,
)


def spread(parameter):
    return parameter.detach().std().item()


def near(value, expected):
    """Within five standard errors of a spread measured on 4,000 numbers or more."""
    return abs(value / expected - 1) < 5 / (2 * 4000) ** 0.5


def test_normal_initialization_is_one_spread_for_all_and_zero_biases():
    model = Transformer(replace(CONFIG, initialization="normal", init_std=0.05))
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert not parameter.any(), name
        elif "norm" in name:
            assert (parameter == 1).all(), name
        else:
            assert near(spread(parameter), 0.05), name


UNTIED = {"tie_embeddings": False, "logits_bias": True}
GATED = {"gated": True, "activation": "silu"}


@facts(
    "fields",
    [{}, GATED, {"num_kv_heads": 1}, {"norm": "rms"}, {"position": "rotary"}],
    ids=str,
)
def test_depth_scaled_initialization_shrinks_what_writes_to_the_residual_stream(fields):
    # a head of 64 features, so that one is enough to measure a spread
    sizes = {"d_head": 64, "num_heads": 2}
    config = replace(CONFIG, initialization="depth_scaled", **sizes, **fields)
    model = Transformer(config)
    branches = 2 * 2 + 3 * 3  # two in each encoder layer, three in each decoder layer
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            writes = "output_projection" in name or "down_projection" in name
            expected = 0.02 / branches**0.5 if writes else 0.02
            assert near(spread(parameter), expected), name


@facts(
    "fields", [{}, GATED, {"parallel_residual": True, "norm_placement": "pre"}], ids=str
)
def test_depth_scaled_initialization_of_a_decoder_is_that_of_gpt2(fields):
    fields = {"num_encoder_layers": 0, "initialization": "depth_scaled", **fields}
    layer = DecoderOnlyTransformer(replace(CONFIG, **fields)).decoder.layers[0]
    out, down = layer.self_attention.output_projection, layer.feed_forward
    # Radford et al. (2019), section 2.3: two residual branches in each layer
    for weight in (out.weight, down.down_projection.weight):
        assert near(spread(weight), 0.02 / (2 * 3) ** 0.5)


@facts("router, shared", [("softmax", 0), ("sigmoid", 1)])
def test_a_mixture_of_experts_is_one_branch_of_the_residual_stream(router, shared):
    experts = {"num_experts": 3, "dense_layers": 1, "router": router, **GATED}
    fields = {"num_encoder_layers": 0, "initialization": "depth_scaled"}
    config = replace(CONFIG, shared_experts=shared, **experts, **fields)
    model = DecoderOnlyTransformer(config)
    written = [
        x
        for name, x in model.named_parameters()
        if "down_projection" in name and x.dim() == 2
    ]
    assert len(written) == 1 + 2 * (3 + shared)  # a dense layer, and two with experts
    for weight in written:
        assert near(spread(weight), 0.02 / (2 * 3) ** 0.5)


def test_t5_initialization_starts_unscaled_scores_near_unit_variance():
    model = Transformer(
        replace(
            CONFIG,
            initialization="t5",
            position="relative",
            d_head=8,
            scale_attention=False,
            attention_bias=False,
        )
    )
    attention = model.encoder.layers[0].self_attention
    feed_forward = model.decoder.layers[1].feed_forward
    assert near(spread(model.embedding.tokens.embedding.weight), 1.0)
    assert abs(spread(attention.query_projection.weight) * (64 * 8) ** 0.5 - 1) < 0.1
    assert abs(spread(attention.key_projection.weight) * 8 - 1) < 0.1
    assert abs(spread(attention.output_projection.weight) * 32**0.5 - 1) < 0.1
    assert near(spread(feed_forward.up_projection.weight), 1 / 8)
    assert near(spread(feed_forward.down_projection.weight), 127**-0.5)
    assert not feed_forward.up_projection.bias.any()
    bias = model.encoder.position_bias.embedding.weight  # 128 numbers
    assert abs(spread(bias) * 8 - 1) < 5 / (2 * 128) ** 0.5


@facts("initialization", ["normal", "t5", "glorot"])
def test_gated_layers_start_as_others_do(initialization):
    model = Transformer(replace(CONFIG, initialization=initialization, **GATED))
    layer = model.encoder.layers[1].feed_forward
    fan = (6 / (64 + 127)) ** 0.5 / 3**0.5  # Glorot and Bengio (2010), equation (16)
    wide, narrow = {"normal": (0.02, 0.02), "glorot": (fan, fan)}.get(
        initialization, (1 / 8, 127**-0.5)
    )
    assert near(spread(layer.up_projection.weight), wide)
    assert near(spread(layer.gate_projection.weight), wide)
    assert near(spread(layer.down_projection.weight), narrow)


def test_an_untied_head_starts_as_attention_does():
    model = Transformer(replace(CONFIG, tie_embeddings=False, logits_bias=True))
    weight, bound = model.head.projection.weight, (6 / (64 + 997)) ** 0.5
    assert weight.abs().max() <= bound  # Glorot and Bengio (2010), equation (16)
    assert near(spread(weight), bound / 3**0.5)
    assert not model.head.projection.bias.any()


def test_glorot_initialization_keeps_what_the_leaves_chose():
    torch.manual_seed(1)
    model = Transformer(CONFIG)
    before = [parameter.clone() for parameter in model.parameters()]
    initialize(model, CONFIG)
    assert all(map(torch.equal, model.parameters(), before))
    up = model.encoder.layers[0].feed_forward.up_projection.weight
    bound = (6 / (64 + 127)) ** 0.5  # Glorot and Bengio (2010), equation (16)
    assert up.abs().max() <= bound
    assert near(spread(up), bound / 3**0.5)


def test_shared_parameters_are_counted_once():
    tied = Transformer(CONFIG)
    untied = Transformer(replace(CONFIG, tie_embeddings=False))
    assert count_parameters(untied) - count_parameters(tied) == 997 * 64


def test_parameters_are_counted_by_hand():
    attention = 4 * (64 * 64 + 64)
    feed_forward = 64 * 127 + 127 + 127 * 64 + 64
    norm = 2 * 64
    layers = 2 * (attention + feed_forward + 2 * norm)
    layers += 3 * (2 * attention + feed_forward + 3 * norm)
    assert count_parameters(Transformer(CONFIG)) == 997 * 64 + layers


@facts("frozen", ["encoder", "embedding", "head", ""])
def test_parameters_that_do_not_learn_are_counted_too(frozen):
    model = Transformer(replace(CONFIG, tie_embeddings=False))
    whole = count_parameters(model)
    model.get_submodule(frozen).requires_grad_(requires_grad=False)
    assert count_parameters(model) == whole


@facts("initialization", ["normal", "depth_scaled", "t5"])
def test_parameters_that_do_not_learn_start_as_others_do(initialization):
    config = replace(CONFIG, initialization=initialization)
    frozen, free = Transformer(CONFIG), Transformer(CONFIG)
    for model in (frozen.requires_grad_(requires_grad=False), free):
        torch.manual_seed(1)
        initialize(model, config)
    assert all(map(torch.equal, frozen.parameters(), free.parameters()))
    assert not any(parameter.requires_grad for parameter in frozen.parameters())


@facts("initialization", INITIALIZATIONS)
@facts(
    "fields",
    [{}, GATED, {"position": "learned"}, {"position": "relative"}, UNTIED],
    ids=str,
)
def test_a_model_without_initialization_draws_nothing(
    initialization, fields, draws_nothing
):
    config = replace(CONFIG, initialization=initialization, **fields)
    with draws_nothing(), SkipInitialization():
        model = Transformer(config)
    before = Transformer(config).state_dict()
    assert {name: x.shape for name, x in model.state_dict().items()} == {
        name: x.shape for name, x in before.items()
    }


def test_initialization_goes_on_after_it_was_skipped():
    with SkipInitialization():
        pass
    assert Transformer(CONFIG).encoder.layers[0].feed_forward.up_projection.weight.any()
