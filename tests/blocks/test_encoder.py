"""The encoder and its layer."""

from dataclasses import replace

import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts, refusals
from transformer.blocks import Encoder, EncoderLayer, ParallelLayer
from transformer.config import TransformerConfig
from transformer.layers import alibi_bias

SMALL = TransformerConfig(
    vocab_size=7, num_encoder_layers=3, d_model=6, d_ff=5, num_heads=2
)
REAL = torch.tensor([[True] * 4 + [False] * 3, [True] * 7])


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def test_a_post_norm_layer_written_out(randomize):
    layer, x = randomize(EncoderLayer(SMALL)), draw(2, 7, 6)
    attended = layer.self_attention(x, x, x).values
    x1 = layer.self_attention_residual.norm(x + attended)
    expected = layer.feed_forward_residual.norm(x1 + layer.feed_forward(x1))
    assert_close(layer(x), expected)


def test_a_pre_norm_layer_written_out(randomize):
    layer = randomize(EncoderLayer(replace(SMALL, norm_placement="pre")))
    x = draw(2, 7, 6)
    y = layer.self_attention_residual.norm(x)
    x1 = x + layer.self_attention(y, y, y).values
    expected = x1 + layer.feed_forward(layer.feed_forward_residual.norm(x1))
    assert_close(layer(x), expected)


def test_a_parallel_layer_written_out(randomize):
    config = replace(SMALL, norm_placement="pre", parallel_residual=True)
    layer, x = randomize(ParallelLayer(config)), draw(2, 7, 6)
    y = layer.self_attention_residual.norm(x)
    attended = layer.self_attention(y, y, y).values
    fed = layer.feed_forward(layer.feed_forward_residual.norm(x))
    assert_close(layer(x), x + attended + fed)


def test_a_stack_is_its_layers_one_after_the_other(randomize):
    encoder = randomize(Encoder(replace(SMALL, final_norm=True)))
    x = expected = draw(2, 7, 6)
    for layer in encoder.layers:
        expected = layer(expected)
    assert len(encoder.layers) == 3
    assert_close(encoder(x), encoder.norm(expected))


@facts("dtype", [torch.float64, torch.float32])
@facts("masked", [False, True])
def test_parity_with_the_layer_of_pytorch(config, twin, masked, dtype, parity):
    theirs = twin.reference(nn.TransformerEncoderLayer, config)
    ours = EncoderLayer(config).double()
    twin.copy_from(ours, theirs)
    ours, theirs = ours.to(dtype), theirs.to(dtype)
    x, direction = draw(2, 7, 30).to(dtype), draw(2, 7, 30).to(dtype)
    mask = REAL[:, None, None] if masked else None
    mine = ours(x, mask=mask)
    reference = theirs(x, src_key_padding_mask=~REAL if masked else None)
    compared = parity(ours, theirs)
    compared.values(mine[REAL], reference[REAL], **twin.close[dtype])
    direction[~REAL] = 0
    for output in (mine, reference):
        output.backward(direction)
    twin.check_gradients(compared, ours, theirs, twin.close[dtype])


def test_parity_with_the_stack_of_pytorch(config, twin, parity):
    layer = twin.reference(nn.TransformerEncoderLayer, config)
    norm = nn.LayerNorm(30).double()
    theirs = nn.TransformerEncoder(layer, 2, norm, enable_nested_tensor=False)
    ours = Encoder(replace(config, final_norm=True)).double()
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        twin.copy_from(mine, other)
    x, direction = draw(2, 7, 30), draw(2, 7, 30)
    close = twin.close[torch.float64]
    mine, reference = ours(x), theirs(x)
    compared = parity(ours, theirs)
    compared.values(mine, reference, **close)
    for output in (mine, reference):
        output.backward(direction)
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        twin.check_gradients(compared, mine, other, close)


def test_one_relative_bias_serves_the_whole_stack():
    encoder = Encoder(replace(SMALL, position="relative"))
    names = [name for name, _ in encoder.named_parameters() if "position" in name]
    assert names == ["position_bias.embedding.weight"]
    positions = torch.arange(5)
    bias = encoder.position_bias(positions, positions)[0]  # (heads, target, source)
    assert not torch.equal(bias[:, 0, 1:], bias[:, :1, 0].expand(2, 4))  # looks ahead


@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_linear_bias_is_made_in_the_dtype_of_the_vectors(dtype):
    config = replace(SMALL, position="alibi", d_model=12, num_heads=12)
    encoder, seen = Encoder(config).to(dtype), []  # 12: not all slopes are exact
    encoder.layers[1].register_forward_pre_hook(
        lambda *call: seen.append(call[2]["bias"]), with_kwargs=True
    )
    encoder(torch.ones(2, 7, 12, dtype=dtype))
    expected = alibi_bias(12, torch.arange(7), torch.arange(7), dtype=dtype)
    assert len(seen) == 1
    assert_close(seen[0], expected, rtol=0, atol=0)


def test_residual_dropout_acts_on_both_branches(randomize):
    layer = randomize(EncoderLayer(replace(SMALL, norm_placement="pre", dropout=0.5)))
    x = draw(1, 7, 6)
    only_attention = {"down_projection", "up_projection"}
    for name, parameter in layer.feed_forward.named_parameters():
        assert name.split(".")[0] in only_attention
        nn.init.zeros_(parameter)
    change = layer(x) - x  # what is left of the attention branch
    assert 0.2 < (change == 0).double().mean() < 0.8
    assert not torch.equal(layer(x), layer(x))
    assert torch.equal(layer.eval()(x), layer(x))


X = torch.ones(2, 7, 6)
BAD_INPUTS = {
    TypeError: {
        "mask.*got torch.float32": lambda: EncoderLayer(SMALL)(
            X, mask=torch.zeros(7, 7)
        ),
    },
    ValueError: {
        r"x.*\(batch, time, d_model\).*got \(7, 6\)": lambda: EncoderLayer(SMALL)(X[0]),
        "an encoder.*got num_encoder_layers=0": lambda: Encoder(
            replace(SMALL, num_encoder_layers=0)
        ),
        r"bias.*\(target, source\).*got shape \(2, 7, 7\)": lambda: EncoderLayer(SMALL)(
            X, bias=torch.zeros(2, 7, 7)
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
