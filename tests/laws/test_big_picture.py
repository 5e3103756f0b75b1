"""The laws of the chapter on the big picture, for random models and tokens."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.blocks import EncoderLayer
from transformer.config import TransformerConfig
from transformer.models import Transformer

# Sums of another order differ by rounding; everything is computed in float64.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS = st.integers(0, 99)
LENGTHS = st.sampled_from([2, 3, 7, 11])
ACTIVE = ["sinusoidal", "learned", "rotary", "relative", "alibi", "none"]
VOCAB = 23


def model(seed, position, placement):
    """A random model, its gains and biases included, in float64."""
    torch.manual_seed(seed)
    config = TransformerConfig(
        vocab_size=VOCAB,
        max_len=13,
        num_encoder_layers=2,
        num_decoder_layers=2,
        d_model=20,
        d_ff=34,
        num_heads=2,
        position=position,
        norm_placement=placement,
        final_norm=placement == "pre",
    )
    return Transformer(config).double().eval()


def ids(seed, length):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCAB, (3, length), generator=generator)


@given(
    seed=SEEDS,
    position=st.sampled_from(ACTIVE),
    placement=st.sampled_from(["pre", "post"]),
    target=LENGTHS,
)
@settings(max_examples=25, deadline=None)
@torch.no_grad()
def test_one_pass_over_the_target_equals_a_pass_for_each_prefix(
    seed, position, placement, target
):
    network = model(seed, position, placement)
    source, written = ids(seed, 5), ids(seed + 1, target)
    memory = network.encode(source)
    rows = [network.decode(written[:, :t], memory)[:, -1] for t in range(1, target + 1)]
    assert_close(network(source, written), torch.stack(rows, dim=1), **EXACT)


@given(seed=SEEDS, placement=st.sampled_from(["pre", "post"]), source=LENGTHS)
@settings(max_examples=25, deadline=None)
@torch.no_grad()
def test_without_positions_the_memory_is_permuted_and_the_scores_stay(
    seed, placement, source
):
    network = model(seed, "none", placement)
    tokens, written = ids(seed, source), ids(seed + 1, 7)
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(source, generator=generator)
    permuted = tokens[:, order]
    assert_close(network.encode(permuted), network.encode(tokens)[:, order], **EXACT)
    assert_close(network(permuted, written), network(tokens, written), **EXACT)


@facts("position", ["sinusoidal", "learned", "rotary", "relative"])
@torch.no_grad()
def test_with_positions_the_order_counts(position):
    network = model(0, position, "pre")
    tokens, written = ids(0, 7), ids(1, 5)
    if position == "relative":  # its bias starts at zero
        network.encoder.position_bias.embedding.weight.normal_()
    assert not torch.allclose(
        network(tokens.flip(1), written), network(tokens, written)
    )


def reach(compute, length, features=20):
    """How strongly the last output depends on the first input."""
    generator = torch.Generator().manual_seed(length)
    x = torch.randn(1, length, features, generator=generator, dtype=torch.float64)
    x.requires_grad_()
    weights = torch.arange(1.0, features + 1, dtype=torch.float64)
    (compute(x)[0, -1] @ weights).backward()
    return x.grad[0, 0].abs().max().item()


@given(seed=SEEDS, length=LENGTHS)
@settings(max_examples=15, deadline=None)
def test_one_layer_of_attention_joins_the_ends_of_a_text(seed, length):
    torch.manual_seed(seed)
    config = TransformerConfig(vocab_size=2, d_model=20, d_ff=34, num_heads=2)
    assert reach(EncoderLayer(config).double(), length) > 0


@given(seed=SEEDS, length=LENGTHS, data=st.data())
@settings(max_examples=15, deadline=None)
def test_the_way_through_a_recurrent_layer_passes_every_state(seed, length, data):
    torch.manual_seed(seed)
    cell = torch.nn.RNNCell(20, 20).double()
    missing = data.draw(st.integers(0, length - 1))

    def read(x, forget):
        state, states = torch.zeros(1, 20, dtype=torch.float64), []
        for place in range(length):
            state = cell(x[:, place], state)
            state = torch.zeros_like(state) + 0 * x.sum() if forget == place else state
            states.append(state)
        return torch.stack(states, dim=1)

    assert reach(lambda x: read(x, None), length) > 0
    assert reach(lambda x: read(x, missing), length) == 0
