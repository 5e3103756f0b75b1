"""The batch of a step depends on the step and the seed alone; nothing is left out."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.data import Example, TrainingBatches, sorted_batches


def examples(number):
    """So many examples of mixed lengths, each with an id of its own."""
    random = Random(0)
    return [
        Example([4] * random.randint(1, 13), [4 + i] * random.randint(2, 17))
        for i in range(number)
    ]


def seen(batch):
    """Which examples are in a batch, by their own ids."""
    return batch.target[:, 0].tolist()


def padding(batches):
    """Number of targets that are padding."""
    return sum(int((batch.target == 0).sum()) for batch in batches)


@given(
    number=st.integers(1, 41),
    batch_size=st.integers(1, 43),
    bucket=st.integers(1, 5),
    epoch=st.integers(0, 3),
)
def test_each_example_occurs_once_in_each_epoch(number, batch_size, bucket, epoch):
    batches = TrainingBatches(examples(number), batch_size=batch_size, bucket=bucket)
    steps = range(batches.steps_per_epoch)
    epoch = [batches[epoch * len(steps) + step] for step in steps]
    assert Counter(i for batch in epoch for i in seen(batch)) == Counter(
        range(4, 4 + number)
    )
    assert sorted(map(len, epoch))[1:] == [batch_size] * (len(steps) - 1)


@given(st.lists(st.integers(0, 60), max_size=11), st.integers(0, 2**63))
def test_a_step_gives_the_same_batch_whatever_was_asked_before(earlier, seed):
    settings = {"batch_size": 3, "bucket": 2, "seed": seed}
    used, fresh = (TrainingBatches(examples(23), **settings) for _ in range(2))
    for step in earlier:
        used[step]
    assert used[17].target.tolist() == fresh[17].target.tolist()
    assert used[17].source.tolist() == fresh[17].source.tolist()


def test_epochs_and_seeds_have_their_own_order():
    orders = {
        tuple(i for step in range(8) for i in seen(batches[start + step]))
        for batches in (
            TrainingBatches(examples(23), batch_size=3, seed=seed) for seed in range(3)
        )
        for start in (0, 8, 16)
    }
    assert len(orders) == 9


def test_no_epoch_of_a_seed_is_an_epoch_of_another():
    # 1 and 11, 11 and 1: neither written one after the other, nor as sum or product.
    numbers = (0, 1, 2, 11, 21, 111)
    orders = {
        tuple(i for step in range(8) for i in seen(batches[8 * epoch + step]))
        for batches in (
            TrainingBatches(examples(23), batch_size=3, seed=seed) for seed in numbers
        )
        for epoch in numbers
    }
    assert len(orders) == len(numbers) ** 2


def test_a_seed_may_have_more_than_64_bits():
    first, second = (
        TrainingBatches(examples(23), batch_size=3, seed=seed) for seed in (0, 2**64)
    )
    assert [seen(first[i]) for i in range(8)] != [seen(second[i]) for i in range(8)]


def test_windows_save_padding_and_the_batches_are_shuffled():
    settings = {"batch_size": 5, "seed": 7}
    sorted_, unsorted = (
        TrainingBatches(examples(211), bucket=bucket, **settings) for bucket in (50, 1)
    )
    steps = range(sorted_.steps_per_epoch)
    few = [sorted_[step] for step in steps]
    assert padding(few) < 0.2 * padding([unsorted[step] for step in steps])
    widths = [batch.target.size(1) for batch in few]
    assert widths != sorted(widths)


def test_the_order_of_an_epoch_is_drawn_once(monkeypatch):
    batches, drawn = TrainingBatches(examples(23), batch_size=3), []
    draw = batches._draw
    monkeypatch.setattr(batches, "_draw", lambda e: drawn.append(e) or draw(e))
    for step in range(20):
        batches[step]
    assert drawn == [0, 1, 2]


def test_batches_to_evaluate_hold_all_examples_with_little_padding():
    batches = sorted_batches(examples(53), batch_size=7)
    assert [len(batch) for batch in batches] == [7] * 7 + [4]
    assert sorted(i for batch in batches for i in seen(batch)) == list(range(4, 57))
    widths = [batch.target.size(1) for batch in batches]
    assert widths == sorted(widths)


@given(number=st.integers(1, 31), batch_size=st.integers(1, 37))
def test_results_go_back_into_the_order_of_the_examples(number, batch_size):
    batches = sorted_batches(examples(number), batch_size=batch_size)
    results = [f"result {i}" for batch in batches for i in seen(batch)]
    expected = [f"result {4 + i}" for i in range(number)]
    assert batches.in_order(results) == expected


def test_examples_without_a_source_are_batched_too():
    texts = [Example(None, [4, 5]), Example(None, [6])]
    assert sorted_batches(texts, batch_size=1)[0].target.tolist() == [[6]]
    assert len(TrainingBatches(texts, batch_size=2)[5]) == 2


TRAINING = TrainingBatches(examples(5), batch_size=2)

BAD_INPUTS = [
    (lambda: TrainingBatches([], batch_size=2), ValueError, "examples.*got none"),
    (lambda: sorted_batches([], batch_size=2), ValueError, "examples.*got none"),
    (
        lambda: TrainingBatches(examples(5), batch_size=0),
        ValueError,
        "batch_size.*got 0",
    ),
    (
        lambda: sorted_batches(examples(5), batch_size=0),
        ValueError,
        "batch_size.*got 0",
    ),
    (
        lambda: TrainingBatches(examples(5), batch_size=2, bucket=0),
        ValueError,
        "bucket.*got 0",
    ),
    (
        lambda: TrainingBatches(examples(5), batch_size=2, seed="0"),
        TypeError,
        "seed.*got '0'",
    ),
    (lambda: TRAINING[-1], ValueError, "step.*got -1"),
    (
        lambda: sorted_batches(examples(5), batch_size=2).in_order([1, 2, 3]),
        ValueError,
        "results.*got 3.*collect those",
    ),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)


def test_a_tuple_of_examples_is_a_list_of_them():
    assert len(sorted_batches(tuple(examples(2)), batch_size=1)) == 2
