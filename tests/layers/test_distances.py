"""Signed distances, and the buckets of T5."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.t5.modeling_t5 import T5Attention

from bookkit.checking.facts import facts, refusals
from transformer.layers import relative_buckets, relative_distances

COMMON_SIZES = [(32, 128), (16, 64), (32, 256), (64, 1024), (8, 20), (12, 100)]

bucket_counts = st.integers(2, 20).map(lambda half: 2 * half)


def buckets(distances, num_buckets=16, max_distance=64, *, bidirectional=False):
    return relative_buckets(
        distances,
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )


# The equation by hand


def test_distances_are_key_minus_query():
    came = relative_distances(torch.tensor([4, 5]), torch.tensor([3, 4, 5]))
    assert came.tolist() == [[-1, 0, 1], [-2, -1, 0]]


def test_distances_of_narrow_positions_can_be_negative():
    narrow = torch.tensor([0, 255], dtype=torch.uint8)
    assert relative_distances(narrow, narrow).tolist() == [[0, 255], [-255, 0]]


def test_the_worked_buckets_of_the_book():
    back = -torch.arange(101)
    came = buckets(back)
    assert came[:8].tolist() == list(range(8))
    assert came[49] == 14
    assert (came[50:] == 15).all()
    first = [int((came == bucket).nonzero()[0]) for bucket in range(8, 16)]
    assert first == [8, 11, 14, 18, 23, 30, 39, 50]


def test_the_formula_written_as_loops():
    # in float64 the logarithm misses no border at these sizes
    for distance in range(200):
        if distance < 8:
            expected = distance
        else:
            steps = 8 * math.log(distance / 8) / math.log(50 / 8)
            expected = min(15, 8 + math.floor(steps))
        assert buckets(torch.tensor([-distance]), 16, 50).item() == expected


@facts("bidirectional", [True, False])
@facts("num_buckets", [4, 6, 8, 10, 14, 22])
def test_every_border_is_that_of_the_formula(num_buckets, bidirectional):
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2

    def bucket(n, greatest):
        if n < exact:
            return n
        steps = math.log(n / exact) / math.log(greatest / exact)
        # 1e-9: a whole number of steps may come out a hair too small
        return min(one_way - 1, exact + math.floor((one_way - exact) * steps + 1e-9))

    for greatest in range(exact + 1, exact + 24):
        far = range(1, greatest + 4)
        back = [bucket(n, greatest) for n in far]
        later = [one_way + n for n in back] if bidirectional else [0] * len(far)
        options = (num_buckets, greatest)
        for sign, expected in ((-1, back), (1, later)):
            distances = sign * torch.tensor(far)
            came = buckets(distances, *options, bidirectional=bidirectional)
            assert came.tolist() == expected


def test_both_directions_have_half_of_the_buckets_each():
    distances = torch.tensor([-9, -2, -1, 0, 1, 2, 9])
    came = buckets(distances, 8, 9, bidirectional=True)
    assert came.tolist() == [3, 2, 1, 0, 5, 6, 7]


def test_later_keys_share_the_bucket_of_the_query_in_one_direction():
    assert buckets(torch.arange(0, 300)).eq(0).all()


# Invariants


@given(count=bucket_counts, extra=st.integers(1, 500), bidirectional=st.booleans())
@settings(max_examples=25)
def test_buckets_rise_with_the_distance_to_the_last_one(count, extra, bidirectional):
    max_distance = count // 2 + extra
    distances = -torch.arange(max_distance + 50)
    came = buckets(distances, count, max_distance, bidirectional=bidirectional)
    one_way = count // 2 if bidirectional else count
    assert (came.diff() >= 0).all()
    assert came[: one_way // 2].tolist() == list(range(one_way // 2))
    assert (came[max_distance:] == one_way - 1).all()


@given(count=bucket_counts, extra=st.integers(1, 500))
@settings(max_examples=25)
def test_later_keys_mirror_earlier_ones(count, extra):
    far = torch.arange(1, count + extra + 50)
    before = buckets(-far, count, count + extra, bidirectional=True)
    after = buckets(far, count, count + extra, bidirectional=True)
    assert torch.equal(after, before + count // 2)


@given(
    distances=st.lists(st.integers(-300, 300), min_size=1, max_size=9),
    bidirectional=st.booleans(),
)
@settings(max_examples=25)
def test_a_bucket_depends_on_its_own_distance_only(distances, bidirectional):
    came = buckets(torch.tensor(distances), bidirectional=bidirectional)
    alone = [
        buckets(torch.tensor([d]), bidirectional=bidirectional).item()
        for d in distances
    ]
    assert came.tolist() == alone


@facts("shape", [(7,), (2, 3), (2, 3, 5)])
@facts("dtype", [torch.int64, torch.int32, torch.int16])
def test_the_shape_stays_and_the_integer_type_does_not_matter(shape, dtype):
    distances = torch.randint(-99, 99, shape)
    came = buckets(distances.to(dtype), bidirectional=True)
    assert torch.equal(came, buckets(distances, bidirectional=True))
    assert came.dtype == torch.int64


def test_shapes_are_known_without_numbers():
    positions = torch.arange(5, device="meta")
    assert buckets(relative_distances(positions[:3], positions)).shape == (3, 5)


@pytest.mark.compiled
def test_buckets_can_be_compiled_whole():
    distances = torch.arange(-99, 99)
    compiled = torch.compile(buckets, backend="eager", fullgraph=True)
    assert torch.equal(compiled(distances), buckets(distances))


@facts("bidirectional", [True, False])
def test_buckets_are_those_of_the_distances_on_any_default_device(bidirectional):
    distances = torch.arange(-100, 101)
    expected = buckets(distances, bidirectional=bidirectional)
    with torch.device("meta"):  # what is made there has no numbers
        came = buckets(distances, bidirectional=bidirectional)
    assert torch.equal(came, expected)


# Parity with Hugging Face


@facts("bidirectional", [True, False])
@facts("num_buckets, max_distance", COMMON_SIZES)
def test_parity_with_t5_up_to_2000(num_buckets, max_distance, bidirectional, parity):
    distances = torch.arange(-2000, 2001)
    theirs = T5Attention._relative_position_bucket(
        distances,
        bidirectional=bidirectional,
        num_buckets=num_buckets,
        max_distance=max_distance,
    )
    ours = buckets(distances, num_buckets, max_distance, bidirectional=bidirectional)
    compared = parity(relative_buckets, T5Attention._relative_position_bucket)
    compared.values(ours, theirs, rtol=0, atol=0)


def test_a_border_that_float32_may_miss_is_exact_here():
    # (30 / 18) ** 18 is (50 / 18) ** 9, so bucket 18 + 9 starts at 30. Whether float32
    # misses it depends on the logarithm of the machine.
    distances = -torch.arange(2001)
    theirs = T5Attention._relative_position_bucket(
        distances, bidirectional=False, num_buckets=36, max_distance=50
    )
    ours = buckets(distances, 36, 50)
    assert ours[30] == 27
    assert (ours != theirs).nonzero().flatten().tolist() in ([], [30])


# Errors

FIVE = torch.arange(5)

BAD_INPUTS = {
    TypeError: {
        "key_positions.*got torch.float32": lambda: relative_distances(
            FIVE, torch.zeros(5)
        ),
        "distances.*got torch.float32": lambda: buckets(torch.zeros(3)),
        "max_distance.*got 64.0": lambda: buckets(FIVE, 16, 64.0),
    },
    ValueError: {
        r"key_positions.*\(time,\).*got \(1, 5\); all": lambda: relative_distances(
            FIVE, FIVE[None]
        ),
        "num_buckets.*at least 2.*got 1": lambda: buckets(FIVE, 1, 64),
        "num_buckets.*at least 4.*got 2": lambda: buckets(
            FIVE, 2, 64, bidirectional=True
        ),
        "num_buckets.*got 9; choose": lambda: buckets(FIVE, 9, 64, bidirectional=True),
        "max_distance.*at least 9.*got 8": lambda: buckets(FIVE, 16, 8),
        "max_distance.*at least 5.*got 4": lambda: buckets(
            FIVE, 16, 4, bidirectional=True
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
