"""Linear attention, with decay and the delta rule, in three forms that are one."""

from functools import partial

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    LinearAttention,
    StateCache,
    causal_mask,
    chunked_linear_attention,
    decay_mask,
    elu_plus_one,
    masked_linear_attention,
    recurrent_linear_attention,
    retention_decays,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# Sums of at most a hundred products in float64, in another order.
REORDERED = {"rtol": 1e-11, "atol": 1e-11}
BATCH, HEADS, TIME, D_KEY, D_VALUE, D_MODEL = 2, 3, 11, 5, 7, 13
FORMS = {
    "recurrent": recurrent_linear_attention,
    "masked": masked_linear_attention,
    "chunks of 4": partial(chunked_linear_attention, chunk_size=4),
    "one chunk": chunked_linear_attention,
}
EACH_FORM = facts("attend", FORMS.values(), ids=[*FORMS])
KINDS = {
    "linear": {},
    "retention": {"feature_map": "identity", "decay": "fixed"},
    "gated": {"feature_map": "identity", "decay": "gate"},
    "gated elu": {"decay": "gate"},
    "delta": {"feature_map": "identity", "delta": True},
    "gated delta": {"decay": "gate", "delta": True},
}
EACH_KIND = facts("kind", KINDS.values(), ids=[*KINDS])


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def draw(*, decay=False, delta=False, state=False, batch=BATCH):
    """Queries, keys and values, and what else is asked for."""
    rows = (batch, HEADS, TIME)
    parts = [random(*rows, size) for size in (D_KEY, D_KEY, D_VALUE)]
    parts[1] = F.normalize(parts[1], dim=-1)
    extra = {
        "log_decay": F.logsigmoid(random(*rows)) if decay else None,
        "rate": random(*rows).sigmoid() if delta else None,
        "state": random(batch, HEADS, D_KEY, D_VALUE) if state else None,
    }
    return parts, extra


def build(kind, dtype=torch.float64, **options):
    """A layer with random parameters, gains and biases too."""
    layer = LinearAttention(D_MODEL, 4, d_head=3, **kind, **options).to(dtype)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return layer


def call(layer, x, **given):
    return layer(x, x, x, is_causal=True, **given).values


def padding(real):
    """A mask of real tokens, with the axes of attention."""
    return {"mask": real[:, None, None]}


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


# The equation by hand


@EACH_FORM
@facts(
    "decays, expected, memory",
    [
        (None, [20, 110], [70, 40]),
        ([0.1, 0.5], [20, 95], [65, 30]),  # the first decay finds nothing to forget
    ],
)
def test_two_positions_by_hand(attend, decays, expected, memory):
    key, value = column([1, 2], [3, 1]), column([10], [20])
    query = column([2, 0], [1, 1])
    given = {} if decays is None else {"log_decay": column(*decays).log()[None, None]}
    found = attend(*(x[None, None] for x in (query, key, value)), **given)
    assert_close(found.values.flatten(), column(*expected), **EXACT)
    assert_close(found.state.flatten(), column(*memory), **EXACT)


@EACH_FORM
@facts(
    "rate, decay, memory",
    [
        (1.0, 1.0, [18.4, 11.2]),  # the memory has 6 of the 20 under this key
        (0.5, 1.0, [14.2, 5.6]),
        (1.0, 0.5, [15.2, 13.6]),  # half of the 10 is left, so 3 of the 20
    ],
)
def test_the_delta_rule_by_hand(attend, rate, decay, memory):
    key, value = column([1, 0], [0.6, 0.8]), column([10], [20])
    rates, decays = column(1.0, rate), column(1.0, decay).log()
    found = attend(
        *(x[None, None] for x in (key, key, value)),
        rate=rates[None, None],
        log_decay=decays[None, None],
    )
    assert_close(found.state.flatten(), column(*memory), **EXACT)
    last = 0.6 * memory[0] + 0.8 * memory[1]
    assert_close(found.values.flatten(), column(10, last), **EXACT)


def test_what_is_left_by_hand():
    found = decay_mask(column(0.5, 0.25, 0.5).log())
    expected = column([1, 0, 0], [0.25, 1, 0], [0.125, 0.5, 1])
    assert_close(found, expected, **EXACT)


def test_features_and_decays_by_hand():
    assert_close(elu_plus_one(column(2.0, 0.0, -1.0)), column(3, 1, 0.36787944117144))
    found = retention_decays(3, dtype=torch.float64).exp()
    assert_close(found, column(31 / 32, 63 / 64, 127 / 128), **EXACT)


def test_positive_features_are_weighed_as_softmax_weighs():
    layer, x = build({}), random(BATCH, TIME, D_MODEL)
    query, key, value = (
        project(x).unflatten(-1, (4, 3)).transpose(1, 2)
        for project in (
            layer.query_projection,
            layer.key_projection,
            layer.value_projection,
        )
    )
    weights = (elu_plus_one(query) @ elu_plus_one(key).mT).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    expected = (weights @ value).transpose(1, 2).flatten(start_dim=2)
    assert_close(call(layer, x), layer.output_projection(expected), **REORDERED)


@facts("name", ["retention", "gated", "delta", "gated delta"])
def test_a_layer_is_its_parts(name):
    layer, x = build(KINDS[name]), random(BATCH, TIME, D_MODEL)
    query, key, value = (
        project(x).unflatten(-1, (4, 3)).transpose(1, 2)
        for project in (
            layer.query_projection,
            layer.key_projection,
            layer.value_projection,
        )
    )
    given = {}
    if layer.feature_map == "elu":
        query, key = elu_plus_one(query), elu_plus_one(key)
    if layer.delta:
        query, key = (y / y.norm(dim=-1, keepdim=True) for y in (query, key))
        given["rate"] = torch.sigmoid(x @ layer.rate_projection.weight.mT).mT
    if layer.decay == "gate":
        gate = torch.sigmoid(layer.decay_projection(x)) ** (1 / 16)
        given["log_decay"] = gate.log().mT
    elif layer.decay == "fixed":
        decays = 1 - 2.0 ** (-5 - torch.arange(4, dtype=torch.float64))
        given["log_decay"] = decays.log()[None, :, None].expand(BATCH, 4, TIME)
    found = recurrent_linear_attention(query, key, value, **given).values
    root = found.square().mean(dim=-1, keepdim=True).add(layer.norm.eps).sqrt()
    heads = layer.norm.weight * found / root
    expected = layer.output_projection(heads.transpose(1, 2).flatten(start_dim=2))
    assert_close(call(layer, x), expected, **REORDERED)


# Shapes


@EACH_FORM
@facts("time", [1, 4, 11])
def test_shapes(attend, time):
    (query, key, value), _ = draw()
    found = attend(*(x[:, :, :time] for x in (query, key, value)))
    assert found.values.shape == (BATCH, HEADS, time, D_VALUE)
    assert found.state.shape == (BATCH, HEADS, D_KEY, D_VALUE)


@EACH_KIND
def test_a_state_has_one_size_and_heads_may_share_keys(kind):
    layer = build(kind, num_kv_heads=2)
    assert layer.key_projection.out_features == 6
    cache = StateCache(BATCH, layer.state_shapes, dtype=torch.float64)
    shapes = [x.shape for x in cache.state]
    with torch.no_grad():
        found = call(layer, random(BATCH, TIME, D_MODEL), cache=cache)
    assert found.shape == (BATCH, TIME, D_MODEL)
    assert [x.shape for x in cache.state] == shapes
    assert cache.length == TIME


# Laws


@facts("decay", [False, True])
@facts("delta", [False, True])
@facts("state", [False, True])
def test_three_forms_and_their_gradients_are_one(decay, delta, state):
    parts, extra = draw(decay=decay, delta=delta, state=state)
    given = {name: x for name, x in extra.items() if x is not None}
    leaves = [x.requires_grad_() for x in (*parts, *given.values())]
    values, memory = random(BATCH, HEADS, TIME, D_VALUE), random(BATCH, HEADS, 5, 7)
    found = {}
    for name, attend in FORMS.items():
        read = attend(*parts, **given)
        score = (read.values * values).sum() + (read.state * memory).sum()
        found[name] = (*read, *torch.autograd.grad(score, leaves))
    for name in FORMS:
        assert_close(found[name], found["recurrent"], **REORDERED)


@EACH_FORM
@given(seed=st.integers(0, 10_000), decay=st.booleans())
def test_a_unit_key_at_rate_one_reads_the_new_value_and_spares_orthogonal_keys(
    attend, seed, decay
):
    torch.manual_seed(seed)
    parts, extra = draw(decay=decay, delta=True, state=True)
    extra["rate"][..., -1] = 1.0
    before = attend(*(x[:, :, :-1] for x in parts), **cut(extra)).state
    key, value = parts[1][:, :, -1:], parts[2][:, :, -1:]
    after = attend(key, key, value, **last(extra, before))
    assert_close(after.values, value, **REORDERED)
    other = random(BATCH, HEADS, 1, D_KEY)
    other = other - (other @ key.mT) * key  # orthogonal to the key
    left = 1.0 if not decay else extra["log_decay"][:, :, -1, None, None].exp()
    assert_close(other @ after.state, left * (other @ before), **REORDERED)


def cut(extra):
    """What belongs to all positions but the last."""
    return {
        n: x if x is None or n == "state" else x[..., :-1] for n, x in extra.items()
    }


def last(extra, state):
    """What belongs to the last position, after a state."""
    new = {n: x if x is None else x[..., -1:] for n, x in extra.items()}
    return new | {"state": state}


@EACH_FORM
def test_a_decay_to_nothing_forgets_all_and_one_of_one_nothing(attend):
    parts, _ = draw()
    never = torch.zeros(BATCH, HEADS, TIME, dtype=torch.float64)
    assert_close(attend(*parts, log_decay=never), attend(*parts), **REORDERED)
    at_five = never.clone()
    at_five[:, :, 5] = -torch.inf
    later = attend(*(x[:, :, 5:] for x in parts))
    found = attend(*parts, log_decay=at_five)
    assert_close(found.values[:, :, 5:], later.values, **REORDERED)
    assert_close(found.state, later.state, **REORDERED)


@given(seed=st.integers(0, 10_000))
def test_blocks_of_the_mask_below_the_diagonal_have_rank_one(seed):
    torch.manual_seed(seed)
    mask = decay_mask(F.logsigmoid(random(TIME)))
    row = torch.randint(1, TIME, ()).item()
    block = mask[row:, : row + 1]
    values = torch.linalg.svdvals(block)
    assert bool((values[1:] < 1e-12 * values[0]).all())
    assert torch.equal(mask, mask.tril())


def test_a_mask_in_float32_keeps_its_digits_behind_a_strong_decay():
    log_decay = torch.full((1009,), -1e-3)
    log_decay[:500] = -100.0  # the sum up to here has lost three digits of what follows
    found = decay_mask(log_decay)[600, 590:600]
    exact = decay_mask(log_decay.double())[600, 590:600]
    assert_close(found.double(), exact, rtol=1e-6, atol=0)


@EACH_KIND
@facts("chunk_size", [1, 4, 64])
def test_chunks_and_steps_change_nothing(kind, chunk_size):
    layer, x = build(kind), random(BATCH, TIME, D_MODEL)
    whole = call(layer, x)
    layer.chunk_size = chunk_size
    assert_close(call(layer, x), whole, **REORDERED)
    cache = StateCache(BATCH, layer.state_shapes, dtype=torch.float64)
    with torch.no_grad():
        parts = [
            call(layer, part, cache=cache) for part in x.split([5, 1, 1, 4], dim=1)
        ]
    assert_close(torch.cat(parts, dim=1), whole, **REORDERED)


@EACH_KIND
def test_padding_anywhere_is_as_if_it_were_not_there(kind):
    layer, x = build(kind), random(1, TIME, D_MODEL)
    real = torch.tensor([[0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0]]).bool()
    cache, alone = (StateCache(1, layer.state_shapes, dtype=x.dtype) for _ in range(2))
    with torch.no_grad():
        found = call(layer, x, cache=cache, **padding(real))
        expected = call(layer, x[real][None], cache=alone)
    assert_close(found[real], expected[0], **REORDERED)
    assert_close(cache.state, alone.state, **REORDERED)
    assert found.isfinite().all()


def test_a_causal_mask_says_the_same_as_its_last_row():
    layer, x = build({}), random(BATCH, TIME, D_MODEL)
    real = torch.rand(BATCH, TIME) < 0.6
    expected = call(layer, x, **padding(real))
    both = causal_mask(TIME) & real[:, None, None]
    assert torch.equal(layer(x, x, x, mask=both).values, expected)
    assert torch.equal(layer(x, x, x, mask=causal_mask(TIME)).values, call(layer, x))


@EACH_KIND
def test_the_past_does_not_know_the_future(kind):
    layer, x = build(kind), random(BATCH, TIME, D_MODEL)
    changed = torch.cat((x[:, :6], random(BATCH, 5, D_MODEL)), dim=1)
    before, after = call(layer, x), call(layer, changed)
    assert_close(before[:, :6], after[:, :6], **EXACT)
    assert (before[:, 6:] - after[:, 6:]).abs().min() > 0


@EACH_KIND
def test_half_precision_sums_in_float32(kind):
    layer, x = build(kind, torch.float32), torch.randn(BATCH, 521, D_MODEL)
    expected = call(layer, x)
    with torch.autocast("cpu", torch.bfloat16):
        found = call(layer, x)
    rounded = call(layer.bfloat16(), x.bfloat16())
    assert rounded.dtype == torch.bfloat16
    size = expected.abs().mean()
    for half in (found, rounded):  # bfloat16 keeps two to three digits
        assert (half.float() - expected).abs().mean() < 0.01 * size


def test_a_printed_layer_shows_its_settings():
    shown = "num_heads=4, num_kv_heads=4, feature_map='elu', decay='gate', delta=False"
    assert shown in repr(build({"decay": "gate"}))


# Errors


def attending(**changed):
    """Call a form with arguments that fit, but for those that are changed."""
    (query, key, value), extra = draw(decay=True, delta=True, state=True)
    given = {"query": query, "key": key, "value": value} | extra
    given |= {name: change(given[name]) for name, change in changed.items()}
    return lambda: [attend(**given) for attend in FORMS.values()]


@facts(
    "changed, error, words",
    [
        ({"key": lambda x: x[0]}, ValueError, r"key must have.*got \(3, 11, 5\)"),
        ({"key": lambda x: x[:, :, :0]}, ValueError, r"key.*at least one position"),
        ({"query": lambda x: x[:1]}, ValueError, r"query.*\(2, 3, 11, 5\).*got \(1, 3"),
        ({"value": lambda x: x[:, :1]}, ValueError, r"value must.*got \(2, 1, 11, 7\)"),
        (
            {"log_decay": lambda x: x[..., :1]},
            ValueError,
            r"log_decay must.*got \(2, 3, 1",
        ),
        ({"log_decay": torch.exp}, ValueError, r"log_decay.*at most 0.*pass decay.log"),
        (
            {"rate": lambda x: x[..., None]},
            ValueError,
            r"rate must.*got \(2, 3, 11, 1\)",
        ),
        ({"state": lambda x: x.mT}, ValueError, r"state must.*got \(2, 3, 7, 5\)"),
    ],
)
def test_what_would_be_repeated_or_grow_in_silence_is_refused(
    changed, error, words, refuses
):
    refuses(attending(**changed), error, words)


def test_a_chunk_has_at_least_one_position(refuses):
    (query, key, value), _ = draw()
    refuses(
        lambda: chunked_linear_attention(query, key, value, chunk_size=0),
        ValueError,
        "chunk_size.*at least 1.*got 0",
    )


@facts(
    "options, error, words",
    [
        ({"num_heads": 5}, ValueError, "num_heads.*got d_model=13 and num_heads=5"),
        ({"num_kv_heads": 3, "d_head": 3}, ValueError, "num_kv_heads.*got num_heads=4"),
        ({"d_head": 3, "feature_map": "relu"}, ValueError, "feature_map.*got 'relu'"),
        ({"d_head": 3, "decay": "constant"}, ValueError, "decay.*got 'constant'"),
        ({"d_head": 3, "chunk_size": 0}, ValueError, "chunk_size.*got 0"),
    ],
)
def test_impossible_layers_are_refused(options, error, words, refuses):
    given = {"num_heads": 4} | options
    refuses(lambda: LinearAttention(D_MODEL, **given), error, words)


@facts(
    "given, words",
    [
        (
            {"is_causal": False},
            "hide later positions.*got another mask.*is_causal=True",
        ),
        ({"mask": torch.ones(TIME, TIME).bool().tril(1)}, "hide later positions"),
        (
            {"mask": torch.ones(TIME, TIME).bool().tril().triu(-3)},
            "hide later positions",
        ),
        ({"mask": torch.ones(3, 1, 1, TIME).bool(), "is_causal": True}, "mask"),
        ({"key": random(BATCH, TIME, D_MODEL)}, "query, key and value.*one tensor"),
    ],
)
def test_what_a_state_cannot_do_is_refused(given, words, refuses):
    layer, x = build({}), random(BATCH, TIME, D_MODEL)
    given = {"query": x, "key": x, "value": x} | given
    refuses(lambda: layer(**given), ValueError, words)
