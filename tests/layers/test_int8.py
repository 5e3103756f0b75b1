"""Linear maps in eight bits: what is stored, what comes out, and what is refused."""

import copy

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import Int8Linear

INS, OUTS = 7, 5
BLOCKS = (48, 12)  # sizes that the kernel takes
# One rounding to bfloat16 of input, scale and result each: at most 2**-9 a number.
BFLOAT16 = {"rtol": 2**-6, "atol": 2**-6}


def linear(rows, bias=None, dtype=torch.float64):
    weight = torch.tensor(rows, dtype=dtype)
    made = nn.Linear(*reversed(weight.shape), bias=bias is not None, dtype=dtype)
    with torch.no_grad():
        made.weight.copy_(weight)
        if bias is not None:
            made.bias.copy_(torch.tensor(bias, dtype=dtype))
    return made


def random_map(sizes=(INS, OUTS), dtype=torch.float32, **options):
    return nn.Linear(*sizes, dtype=dtype, **options)


@facts("scale", [1.0, 0.5])
def test_a_scale_that_a_type_holds_is_kept(scale):
    made = Int8Linear(linear([[127 * scale, -scale]], dtype=torch.bfloat16))
    assert made.row_scale.item() == scale


def test_the_bytes_by_hand():
    # The largest of the first row is 2.54: a step of 0.02. That of the second: 0.5.
    made = Int8Linear(linear([[2.54, -0.02, 0.031], [63.5, -63.5, 0.3]]))
    assert made.values.dtype == torch.int8
    assert made.values.tolist() == [[127, -1, 2], [127, -127, 1]]
    assert_close(made.row_scale, torch.tensor([[0.02], [0.5]], dtype=torch.float64))


def test_the_result_by_hand():
    made = Int8Linear(linear([[2.54, -0.02, 0.031], [63.5, -63.5, 0.3]], bias=[1, -1]))
    x = torch.tensor([[1, 2, 3]], dtype=torch.float64)
    # 0.02 * (127 - 2 + 6) + 1 and 0.5 * (127 - 254 + 3) - 1
    assert_close(made(x), torch.tensor([[3.62, -63.0]], dtype=torch.float64))


@given(
    st.lists(
        st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=4
    )
)
def test_no_weight_moves_by_more_than_half_a_step_of_its_row(rows):
    made = Int8Linear(source := linear(rows))
    moved = (made.weight - source.weight).abs()
    assert bool((moved <= made.row_scale * (0.5 + 1e-9)).all())
    assert made.values.min() >= -127


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@facts("dtype", DTYPES)
def test_no_dtype_moves_the_largest_weight_by_more_than_half_a_step(dtype):
    # The smallest are a few steps of float16, whose scale can only be one of them.
    rows = torch.cat([torch.linspace(0.5, 1, 1009), 6e-8 * torch.arange(1, 307)])
    source = random_map((1, len(rows)), dtype=dtype)
    with torch.no_grad():
        source.weight.copy_(rows[:, None])
    made = Int8Linear(source)
    stored, step = made.values.double(), made.row_scale.double()
    moved = (stored * step - source.weight.detach().double()).abs()
    assert bool((moved <= step * (0.5 + 1e-5)).all())
    assert stored.min() > 0


@facts("dtype", DTYPES)
def test_weights_too_small_for_a_step_become_zero(dtype):
    smallest = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    made = Int8Linear(linear([[smallest, -smallest]], dtype=dtype))
    assert 0 < made.row_scale.item() < torch.inf
    assert made.weight.abs().max() <= smallest


def test_a_row_of_zeros_stays_zero():
    made = Int8Linear(linear([[0.0, 0.0], [1.0, 0.5]]))
    assert made.weight[0].tolist() == [0, 0]


@facts("sizes", [BLOCKS, (16, 4), (64, 20)])
@facts("bias", [False, True])
@facts("axes", [(), (3,), (2, 3), (1, 8)])
def test_the_kernel_for_few_vectors_applies_the_same_matrix(axes, bias, sizes):
    made = Int8Linear(random_map(sizes, bias=bias))
    x = torch.randn(*axes, sizes[0])
    assert made._suits_kernel(x)
    result = made(x)
    assert (result.dtype, result.shape) == (torch.float32, (*axes, sizes[1]))
    assert_close(result, F.linear(x, made.weight, made.bias), **BFLOAT16)


@facts(
    "x, sizes, why",
    [
        (torch.randn(3, 3, 48), BLOCKS, "many vectors"),
        (torch.randn(2, 48, dtype=torch.float64), BLOCKS, "float64"),
        (torch.randn(2, 48, dtype=torch.bfloat16), BLOCKS, "bfloat16"),
        (torch.randn(2, 48, requires_grad=True), BLOCKS, "a gradient is wanted"),
        (torch.randn(0, 48), BLOCKS, "nothing to map"),
        (torch.randn(2, 40), (40, 12), "features left over"),
        (torch.randn(2, 48), (48, 11), "rows left over"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_else_the_matrix_is_made_of_the_bytes(x, sizes, why):
    made = Int8Linear(random_map(sizes, dtype=x.dtype))
    assert not made._suits_kernel(x), why
    assert torch.equal(made(x), F.linear(x, made.weight, made.bias))


@facts("start", [0, 1, 3])
def test_rows_and_columns_of_a_view_are_not_mixed_up(start):
    made = Int8Linear(random_map(BLOCKS))
    for x in (
        torch.randn(48 + start, 4)[start:].T,
        torch.randn(4, 51)[:, start:][:, :48],
    ):
        assert made._suits_kernel(x)
        assert_close(made(x), F.linear(x, made.weight, made.bias), **BFLOAT16)


def test_gradients_pass_through_to_the_input():
    made = Int8Linear(random_map(dtype=torch.float64))
    x = torch.randn(2, INS, dtype=torch.float64, requires_grad=True)
    made(x).sum().backward()
    assert_close(x.grad, made.weight.sum(dim=0).expand(2, -1))


def test_the_map_that_was_given_is_left_as_it_is():
    source = random_map()
    before = copy.deepcopy(source.state_dict())
    made = Int8Linear(source)
    assert made.bias is source.bias
    assert all(torch.equal(before[k], v) for k, v in source.state_dict().items())
    assert [name for name, _ in made.named_parameters()] == ["bias"]


def test_another_dtype_leaves_the_bytes_alone():
    made = Int8Linear(random_map())
    bytes_before = made.values.clone()
    made = made.to(torch.bfloat16)
    assert torch.equal(made.values, bytes_before)
    assert made(torch.randn(2, INS, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_autocast_is_followed_as_by_a_linear_map():
    made = Int8Linear(random_map())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert made(torch.randn(9, INS)).dtype == torch.bfloat16


def test_its_sizes_are_shown():
    assert repr(Int8Linear(random_map(bias=False))) == (
        "Int8Linear(in_features=7, out_features=5, bias=False)"
    )


@facts(
    "given, kind, words",
    [
        (
            linear([[1.0, float("nan")]]),
            ValueError,
            "the weights of a map.*got 1 that are not",
        ),
        (
            linear([[1.0, float("inf")], [1.0, 2.0]]),
            ValueError,
            "the weights .* got 1 that",
        ),
    ],
)
def test_what_cannot_be_stored_is_refused(given, kind, words, refuses):
    refuses(lambda: Int8Linear(given), kind, words)
