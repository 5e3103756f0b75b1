"""The operations of a model, against PyTorch's counter of them."""

from dataclasses import replace

import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from bookkit.checking.facts import facts
from transformer.config import CHOICES, TransformerConfig
from transformer.costs import forward_flops, step_flops, training_flops
from transformer.zoo import CONFIGS

BATCH, SOURCE, TARGET = 2, 7, 5
SMALL = TransformerConfig(vocab_size=29, max_len=23, d_model=12, d_ff=17, num_heads=6)
HEADS = ["masked_language_model", "pooler", None]
TEXTS = [name for name, config in CONFIGS.items() if config.image_size is None]
ONE_EACH = replace(SMALL, num_encoder_layers=1, num_decoder_layers=1)
# What tells queries from keys, and self-attention from cross-attention.
ATTENTION = {
    "plain": {},
    "grouped heads": {"num_kv_heads": 2},
    "relative keys": {"position": "relative_keys", "relative_max_distance": 3},
}


def sizes(config):
    lengths = {"source": SOURCE if config.num_encoder_layers else None}
    return lengths | {"target": TARGET if config.num_decoder_layers else None}


def tokens(length):
    return torch.zeros(BATCH, length, dtype=torch.long, device="meta")


def counted(call):
    """What PyTorch counts; without numbers it computes attention by the formula."""
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


def inputs(config):
    return [tokens(length) for length in sizes(config).values() if length]


@st.composite
def configs(draw):
    """Any configuration whose sizes fit."""
    num_heads = draw(st.sampled_from([2, 6]))
    fields = {
        "num_encoder_layers": draw(st.integers(0, 2)),
        "num_decoder_layers": draw(st.integers(0, 2)),
        "num_heads": num_heads,
        "num_kv_heads": draw(st.sampled_from([None, 1, 2])),
        "d_head": draw(st.sampled_from([None, 4, 10])),
        "d_ff": draw(st.sampled_from([3, 17])),
        "vocab_size": draw(st.sampled_from([13, 29])),
        "gated": draw(st.booleans()),
        "tie_embeddings": draw(st.booleans()),
        "relative_max_distance": draw(st.sampled_from([17, 19])),
        "position": draw(st.sampled_from(CHOICES["position"])),
    }
    assume(fields["num_encoder_layers"] + fields["num_decoder_layers"] > 0)
    return replace(SMALL, **fields)


@facts("name", TEXTS)
def test_the_forward_pass_of_every_preset_costs_what_is_counted(
    described, shallow, name
):
    config = shallow(CONFIGS[name])
    flops = forward_flops(config, batch=BATCH, **sizes(config))
    with torch.no_grad():
        assert flops.total == counted(lambda: described(config)(*inputs(config)))


@given(config=configs(), head=st.sampled_from(HEADS))
@example(config=replace(ONE_EACH, **ATTENTION["grouped heads"]), head=None)
@example(config=replace(ONE_EACH, **ATTENTION["relative keys"]), head=None)
@settings(max_examples=12, deadline=None)
def test_any_configuration_costs_what_is_counted(described, config, head):
    flops = forward_flops(config, batch=BATCH, head=head, **sizes(config))
    with torch.no_grad():
        assert flops.total == counted(lambda: described(config, head)(*inputs(config)))


@given(config=configs(), head=st.sampled_from(HEADS))
@settings(max_examples=8, deadline=None)
def test_training_costs_three_forward_passes(described, config, head):
    model = described(config, head)
    flops = training_flops(config, batch=BATCH, head=head, **sizes(config))
    assert flops.total == counted(lambda: model(*inputs(config)).sum().backward())


@given(config=configs(), held=st.sampled_from([1, 3, 11]))
@settings(max_examples=8, deadline=None)
@torch.no_grad()
def test_a_cached_step_costs_what_is_counted(described, config, held):
    assume(config.num_decoder_layers)
    model, source = described(config), sizes(config)["source"]
    if source:
        memory = torch.zeros(BATCH, source, config.d_model, device="meta")
        cache, rest = model.new_cache(memory), [memory]
        step = model.decode
    else:
        cache, rest, step = model.new_cache(BATCH), [], model
    step(tokens(held), *rest, cache=cache)
    flops = step_flops(config, held=held, batch=BATCH, source=source)
    assert flops.total == counted(lambda: step(tokens(1), *rest, cache=cache))


@facts("held", [1, 3, 11])
@torch.no_grad()
def test_a_cached_step_meets_what_its_windows_show(described, held):
    config = replace(SMALL, num_encoder_layers=0, num_decoder_layers=3)
    config = replace(config, window=(4, None), position="none")
    model = described(config)
    cache = model.new_cache(BATCH)
    model(tokens(held), cache=cache)
    flops = step_flops(config, held=held, batch=BATCH)
    assert flops.total == counted(lambda: model(tokens(1), cache=cache))


@facts("fields", ATTENTION.values(), ids=[*ATTENTION])
def test_the_parts_are_those_of_the_modules(fields, described):
    config = replace(ONE_EACH, **fields)
    model = described(config)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(*inputs(config))
    found = {name: sum(c.values()) for name, c in counter.get_flop_counts().items()}
    flops = forward_flops(config, batch=BATCH, **sizes(config))
    layer = "Transformer.decoder.layers.0."
    networks = [name for name in found if name.endswith(".feed_forward")]
    own = [name for name in found if name.endswith(".self_attention")]
    assert flops.cross_attention == found[layer + "cross_attention"]
    assert flops.feed_forward == sum(found[name] for name in networks)
    assert flops.projections + flops.scores == sum(found[name] for name in own)
    assert flops.head == found["Transformer.head"]


def test_a_layer_by_hand():
    config = replace(SMALL, num_encoder_layers=1, num_decoder_layers=0, d_ff=48)
    flops = forward_flops(config, source=SOURCE, head=None)
    assert flops.projections == 8 * SOURCE * 12**2
    assert flops.scores == 4 * SOURCE**2 * 12
    assert flops.feed_forward == 16 * SOURCE * 12**2
    assert flops.head == flops.cross_attention == 0


@given(num_heads=st.sampled_from([1, 2, 3, 4, 6, 12]), source=st.integers(1, 40))
def test_the_number_of_heads_changes_nothing(num_heads, source):
    config = replace(SMALL, num_decoder_layers=0)
    other = replace(config, num_heads=num_heads)
    assert forward_flops(config, source=source) == forward_flops(other, source=source)


@given(d_model=st.sampled_from([2, 6, 14]), layers=st.integers(1, 3))
def test_scores_equal_the_network_at_four_widths_and_all_else_at_six(d_model, layers):
    config = replace(
        SMALL,
        num_heads=1,
        d_model=d_model,
        d_ff=4 * d_model,
        num_encoder_layers=layers,
        num_decoder_layers=0,
    )
    four = forward_flops(config, source=4 * d_model, head=None)
    six = forward_flops(config, source=6 * d_model, head=None)
    assert four.scores == four.feed_forward
    assert six.scores == six.feed_forward + six.projections


DECODER = replace(SMALL, num_encoder_layers=0)
ENCODER = replace(SMALL, num_decoder_layers=0)
REFUSED = {
    "source missing": lambda: forward_flops(SMALL, target=3),
    "target not wanted": lambda: forward_flops(ENCODER, source=3, target=3),
    "head": lambda: forward_flops(ENCODER, source=3, head="logits"),
    "no decoder": lambda: step_flops(ENCODER, held=3),
    "held below 0": lambda: step_flops(DECODER, held=-1),
    "memory not wanted": lambda: step_flops(DECODER, held=3, source=3),
}
TEXTS = {
    "source missing": "source must be given if there are encoder layers",
    "target not wanted": "target must be .*num_decoder_layers=0; leave it out",
    "head": "head must be one of",
    "no decoder": "decoding must have decoder layers",
    "held below 0": "held must be at least 0",
    "memory not wanted": (
        "source must be .*source=3 and num_encoder_layers=0; leave it out"
    ),
}


@facts("case", REFUSED)
def test_what_does_not_fit_is_refused(refuses, case):
    refuses(REFUSED[case], ValueError, TEXTS[case])


def test_what_is_of_the_wrong_kind_is_refused(refuses):
    wrong = {
        "batch must be a whole": lambda: forward_flops(DECODER, target=3, batch=1.5),
        "batch must be .*2.5": lambda: step_flops(DECODER, held=3, batch=2.5),
    }
    for message, call in wrong.items():
        refuses(call, TypeError, message)
