"""State spaces: a recurrence that is a masked attention, and the mixer of Mamba-2."""

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import Mamba2Config
from transformers.models.mamba2 import modeling_mamba2

from bookkit.checking.facts import facts
from transformer.layers import Mamba2Mixer, StateCache, decay_mask, state_space

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# Sums of at most a hundred products in float64, in another order.
REORDERED = {"rtol": 1e-11, "atol": 1e-11}
BATCH, HEADS, TIME, D_HEAD, D_STATE = 2, 3, 11, 5, 7
EACH_FORM = facts("form", ["recurrent", "masked", "chunked"])
EACH_DTYPE = facts("dtype, tolerance", [(torch.float64, 1e-12), (torch.float32, 1e-5)])
# A mixer with 6 heads in 2 groups.
D_MODEL, SIZES = 12, {"num_heads": 6, "d_head": 4, "d_state": 5, "num_groups": 2}
NAMES = {
    "input_projection.weight": "in_proj.weight",
    "convolution.weight": "conv1d.weight",
    "convolution.bias": "conv1d.bias",
    "log_decay_rate": "A_log",
    "step_bias": "dt_bias",
    "skip": "D",
    "norm_weight": "norm.weight",
    "output_projection.weight": "out_proj.weight",
}


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def draw():
    """What a state space is given, a state included."""
    rows = (BATCH, HEADS, TIME)
    return {
        "x": random(*rows, D_HEAD),
        "step": F.softplus(random(*rows)),
        "decay_rate": random(HEADS).exp(),
        "write": random(*rows, D_STATE),
        "read": random(*rows, D_STATE),
        "state": random(BATCH, HEADS, D_STATE, D_HEAD),
    }


def build(dtype=torch.float64, **options):
    """A mixer with random parameters."""
    mixer = Mamba2Mixer(D_MODEL, kernel_size=3, chunk_size=4, **SIZES, **options)
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return mixer.to(dtype)


def call(mixer, x, **given):
    return mixer(x, x, x, is_causal=True, **given).values


def empty(mixer, batch=BATCH):
    return StateCache(batch, mixer.state_shapes, dtype=torch.float64)


# The equation by hand


@EACH_FORM
def test_two_positions_by_hand(form):
    # Half is left after a step of 1, a quarter after one of 2.
    numbers = {"x": [[10.0], [20]], "write": [[1, 2], [3, 1]], "read": [[1, 1], [2, 1]]}
    given = {n: torch.tensor(x).double()[None, None] for n, x in numbers.items()}
    given["step"] = torch.tensor([[[1.0, 2]]]).double()
    given["decay_rate"] = torch.tensor([2.0]).double().log()
    found = state_space(**given, form=form)
    # The state is 10, 20 and then 2.5 + 2·60, 5 + 2·20.
    expected = torch.tensor([[122.5], [45.0]]).double()
    assert_close(found.state[0, 0], expected, **EXACT)
    assert_close(found.values.flatten(), torch.tensor([30.0, 290]).double(), **EXACT)


def test_a_mixer_written_out_position_by_position():
    mixer, x = build(), random(1, TIME, D_MODEL)
    gate, mixed, step = mixer.input_projection(x[0]).split([24, 44, 6], dim=-1)
    kernel = mixer.convolution.weight[:, 0]  # the last column meets the newest input
    memory, expected = random(6, 5, 4) * 0, []
    for t in range(TIME):
        seen = sum(kernel[:, 2 - j] * mixed[t - j] for j in range(3) if j <= t)
        inner, write, read = F.silu(seen + mixer.convolution.bias).split([24, 10, 10])
        values = []
        for head in range(6):
            time = F.softplus(step[t, head] + mixer.step_bias[head])
            group = slice(5 * (head // 3), 5 * (head // 3) + 5)
            new = time * torch.outer(write[group], inner[4 * head : 4 * head + 4])
            left = torch.exp(-mixer.log_decay_rate[head].exp() * time)
            memory[head] = (left * memory[head] + new).detach()
            skipped = mixer.skip[head] * inner[4 * head : 4 * head + 4]
            values.append(read[group] @ memory[head] + skipped)
        values = torch.cat(values) * F.silu(gate[t])
        roots = values.view(2, 12).square().mean(dim=1).add(mixer.eps).sqrt()
        normal = values / roots.repeat_interleave(12) * mixer.norm_weight
        expected.append(mixer.output_projection(normal))
    assert_close(call(mixer, x)[0], torch.stack(expected), **REORDERED)


# Shapes


def test_shapes():
    mixer = build()
    assert mixer.input_projection.out_features == 24 + (24 + 2 * 10) + 6
    assert mixer.state_shapes == ((2, 44), (6, 5, 4))
    assert call(mixer, random(BATCH, TIME, D_MODEL)).shape == (BATCH, TIME, D_MODEL)
    found = state_space(**draw())
    assert found.values.shape == (BATCH, HEADS, TIME, D_HEAD)
    assert found.state.shape == (BATCH, HEADS, D_STATE, D_HEAD)


def test_rates_and_steps_start_where_the_paper_starts_them():
    mixer = Mamba2Mixer(7, 1009, d_head=1, d_state=1)
    rates, steps = mixer.log_decay_rate.exp(), F.softplus(mixer.step_bias)
    assert 1 <= rates.min() < 1.2 < 15.8 < rates.max() <= 16
    assert 9.99e-4 <= steps.min() < 1.1e-3 < 0.09 < steps.max() <= 0.1001


# Laws


def test_three_forms_and_their_gradients_are_one():
    given = draw()
    leaves = [x.requires_grad_() for x in given.values()]
    values, memory = random(BATCH, HEADS, TIME, D_HEAD), random(*given["state"].shape)
    found = {}
    for form in ("recurrent", "masked", "chunked"):
        read = state_space(**given, form=form, chunk_size=4)
        score = (read.values * values).sum() + (read.state * memory).sum()
        found[form] = (*read, *torch.autograd.grad(score, leaves))
    assert_close(found["masked"], found["recurrent"], **REORDERED)
    assert_close(found["chunked"], found["recurrent"], **REORDERED)


@given(seed=st.integers(0, 10_000))
def test_the_dual_is_attention_with_a_semiseparable_mask(seed):
    torch.manual_seed(seed)
    given = {name: x for name, x in draw().items() if name != "state"}
    left = decay_mask(-given["decay_rate"][:, None] * given["step"])
    weights = given["read"] @ given["write"].mT * left * given["step"].unsqueeze(-2)
    found = state_space(**given, form="recurrent").values
    assert_close(weights @ given["x"], found, **REORDERED)


@given(seed=st.integers(0, 10_000))
def test_no_block_below_the_diagonal_has_a_higher_rank_than_the_state(seed):
    torch.manual_seed(seed)
    given = {name: x for name, x in draw().items() if name != "state"}
    given |= {"write": given["write"][..., :2], "read": given["read"][..., :2]}
    given["decay_rate"] = given["decay_rate"].clamp(max=0.1)  # so that much is left
    given["x"] = torch.eye(TIME, dtype=torch.float64).expand(BATCH, HEADS, -1, -1)
    matrix = state_space(**given).values  # (batch, heads, time, time)
    values = torch.linalg.svdvals(matrix[..., 5:, :6])
    assert bool((values[..., 2:] < 1e-12 * values[..., :1]).all())
    assert bool((values[..., 1] > 1e-9 * values[..., 0]).all())


def test_a_step_of_no_time_changes_nothing():
    given = draw()
    given["step"][..., 4:] = 0.0
    found = state_space(**given).state
    given = {
        n: x if n in ("decay_rate", "state") else x[:, :, :4] for n, x in given.items()
    }
    assert_close(found, state_space(**given).state, **EXACT)


@facts("chunk_size", [1, 4, 64])
def test_chunks_and_steps_change_nothing(chunk_size):
    mixer, x = build(), random(BATCH, TIME, D_MODEL)
    whole = call(mixer, x)
    mixer.chunk_size = chunk_size
    assert_close(call(mixer, x), whole, **REORDERED)
    cache = empty(mixer)
    with torch.no_grad():
        parts = [
            call(mixer, part, cache=cache) for part in x.split([5, 1, 1, 4], dim=1)
        ]
    assert_close(torch.cat(parts, dim=1), whole, **REORDERED)


def test_padding_anywhere_is_as_if_it_were_not_there():
    mixer, x = build(), random(1, 2 * TIME, D_MODEL)
    real = torch.tensor([[0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0]]).bool()
    real = torch.cat((real, ~real), dim=1)  # read in two parts
    cache, alone = empty(mixer, 1), empty(mixer, 1)
    masks = [real[:, None, None, :end] for end in (TIME, 2 * TIME)]
    parts = zip(x.split(TIME, dim=1), masks, strict=True)
    with torch.no_grad():
        found = [call(mixer, part, cache=cache, mask=mask) for part, mask in parts]
        expected = call(mixer, x[real][None], cache=alone)
    assert_close(torch.cat(found, dim=1)[real], expected[0], **REORDERED)
    assert_close(cache.state, alone.state, **REORDERED)


def test_padding_reads_the_same_in_whatever_parts_it_comes():
    # A model may write the token that pads, and must go on alike with a cache.
    mixer, x = build(), random(BATCH, TIME, D_MODEL)
    real = torch.arange(TIME) < torch.tensor([[TIME], [5]])
    whole, cache = call(mixer, x, mask=real[:, None, None]), empty(mixer)
    masks = [real[:, None, None, : t + 1] for t in range(TIME)]
    parts = zip(x.split(1, dim=1), masks, strict=True)
    with torch.no_grad():
        found = [call(mixer, part, cache=cache, mask=mask) for part, mask in parts]
    assert_close(torch.cat(found, dim=1), whole, **REORDERED)


def test_the_past_does_not_know_the_future():
    mixer, x = build(), random(BATCH, TIME, D_MODEL)
    changed = torch.cat((x[:, :6], random(BATCH, 5, D_MODEL)), dim=1)
    before, after = call(mixer, x), call(mixer, changed)
    assert_close(before[:, :6], after[:, :6], **EXACT)
    assert (before[:, 6:] - after[:, 6:]).abs().min() > 0


def test_half_precision_sums_in_float32():
    mixer, x = build(torch.float32), torch.randn(BATCH, 521, D_MODEL)
    expected = call(mixer, x)
    with torch.autocast("cpu", torch.bfloat16):
        found = call(mixer, x)
    rounded = call(mixer.bfloat16(), x.bfloat16())
    assert rounded.dtype == torch.bfloat16
    size = expected.abs().mean()
    for half in (found, rounded):  # bfloat16 keeps two to three digits
        assert (half.float() - expected).abs().mean() < 0.03 * size


# Parity


def reference(ours, dtype, monkeypatch):
    """The mixer of Hugging Face with our parameters, computed in its own dtype."""
    config = Mamba2Config(
        hidden_size=D_MODEL,
        num_heads=6,
        head_dim=4,
        state_size=5,
        n_groups=2,
        conv_kernel=3,
        chunk_size=4,
        num_hidden_layers=1,
    )
    theirs = modeling_mamba2.Mamba2Mixer(config, 0).to(dtype)
    stored = dict(ours.named_parameters())
    theirs.load_state_dict({NAMES[name]: x for name, x in stored.items()})
    if dtype == torch.float64:  # it casts to float32, whatever it is given
        monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
        monkeypatch.setattr(modeling_mamba2.torch, "float32", torch.float64)
    return theirs


@EACH_DTYPE
def test_it_is_the_mixer_of_hugging_face(dtype, tolerance, parity, monkeypatch):
    bounds = {"rtol": tolerance, "atol": tolerance}
    ours = build(dtype)
    x, direction = (torch.randn(BATCH, TIME, D_MODEL, dtype=dtype) for _ in range(2))
    direction = direction / BATCH / TIME  # so that the gradients are of order 1
    with monkeypatch.context() as patch:
        theirs = reference(ours, dtype, patch)
        expected = theirs(x.requires_grad_())
        weights = dict(theirs.named_parameters())
        leaves = (x, *(weights[name] for name in NAMES.values()))
        wanted = torch.autograd.grad(expected, leaves, direction)
    found = call(ours, x)
    weights = dict(ours.named_parameters())
    leaves = (x, *(weights[name] for name in NAMES))
    compared = parity(ours, theirs)
    compared.values(found, expected, **bounds)
    compared.gradients(torch.autograd.grad(found, leaves, direction), wanted, **bounds)


# Errors


@facts(
    "changed, error, words",
    [
        ({"step": lambda x: x[:, :1]}, ValueError, r"step must.*got \(2, 1, 11\)"),
        ({"step": torch.neg}, ValueError, "steps must be at least 0.*pass softplus"),
        ({"decay_rate": torch.neg}, ValueError, "decay rates above it.*the rate as -A"),
        ({"decay_rate": lambda x: x[:1]}, ValueError, r"decay_rate must.*got \(1,\)"),
        ({"write": lambda x: x[:, :1]}, ValueError, r"write must.*got \(2, 1, 11, 7\)"),
        ({"read": lambda x: x[..., :1]}, ValueError, r"read must.*got \(2, 3, 11, 1\)"),
        ({"state": lambda x: x.mT}, ValueError, r"state must.*got \(2, 3, 5, 7\)"),
        ({"x": lambda x: x[0]}, ValueError, r"x must have.*got \(3, 11, 5\)"),
        ({"form": lambda _: "scan"}, ValueError, "form must be one of.*got 'scan'"),
    ],
)
def test_what_would_be_repeated_or_grow_in_silence_is_refused(
    changed, error, words, refuses
):
    given = draw() | {"form": "chunked"}
    given |= {name: change(given[name]) for name, change in changed.items()}
    refuses(lambda: state_space(**given), error, words)


@facts(
    "options, error, words",
    [
        ({"num_heads": 5}, ValueError, "num_heads.*got d_model=12 and num_heads=5"),
        ({"num_groups": 4}, ValueError, "num_groups.*got num_heads=6 and num_groups=4"),
        ({"kernel_size": 1}, ValueError, "kernel_size.*at least 2.*got 1"),
    ],
)
def test_impossible_mixers_are_refused(options, error, words, refuses):
    given = {"num_heads": 6} | options
    refuses(lambda: Mamba2Mixer(D_MODEL, **given), error, words)
