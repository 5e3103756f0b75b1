"""A batch holds examples side by side and falls into parts without a loss."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.data import (
    BOS_ID,
    EOS_ID,
    IGNORED,
    PAD_ID,
    Batch,
    Example,
    Pair,
    WordTokenizer,
    encode_pairs,
    encode_texts,
    pad,
)

TOKENIZER = WordTokenizer.fit(["a b c"])
EXAMPLES = [Example([4, 2], [1, 5, 6, 2]), Example([4, 5, 2], [1, 6, 2])]


def rows(number):
    """A batch of so many rows, each different."""
    source = torch.arange(number)[:, None] + torch.tensor([4, 5])
    return Batch(source, torch.arange(3 * number).reshape(number, 3))


def test_pairs_become_ids_with_their_ends_marked():
    (example,) = encode_pairs([Pair("a b", "c x")], TOKENIZER)
    assert example.source == [4, 5, EOS_ID]
    assert example.target == [BOS_ID, 6, 3, EOS_ID]


def test_texts_become_targets_without_a_source():
    examples = encode_texts(["a", ""], TOKENIZER)
    assert examples == [(None, [BOS_ID, 4, EOS_ID]), (None, [BOS_ID, EOS_ID])]


def test_sequences_are_filled_up_behind_their_ends():
    padded = pad([[5, 6, 7], [], [8]])
    assert padded.tolist() == [[5, 6, 7], [PAD_ID] * 3, [8, PAD_ID, PAD_ID]]
    assert padded.dtype == pad([[], []]).dtype == torch.int64


def test_labels_are_the_targets_moved_by_one():
    batch = Batch.of(EXAMPLES)
    source, target = batch.inputs
    assert source.tolist() == [[4, 2, 0], [4, 5, 2]]
    assert target.tolist() == [[1, 5, 6], [1, 6, 2]]
    assert batch.labels.tolist() == [[5, 6, 2], [6, 2, -100]]
    assert batch.num_tokens == 5
    assert len(batch) == 2


def test_ids_in_bytes_have_the_same_labels():
    target = torch.tensor([[1, 156, 7, 2, PAD_ID]])
    batch = Batch(None, target.to(torch.uint8))
    assert torch.equal(batch.labels, Batch(None, target).labels)
    assert batch.num_tokens == 3


def test_a_language_model_gets_one_input():
    batch = Batch.of([Example(None, [1, 4, 5, 2])])
    assert [ids.tolist() for ids in batch.inputs] == [[[1, 4, 5]]]
    assert batch.labels.tolist() == [[4, 5, 2]]


def test_shards_share_the_rows_and_keep_the_width():
    batch = Batch.of([*EXAMPLES, Example([4], [1, 2])])
    shards = [batch.shard(rank, 2) for rank in range(2)]
    assert torch.equal(shards[0].target, batch.target[[0, 2]])
    assert torch.equal(shards[1].source, batch.source[[1]])
    assert sum(shard.num_tokens for shard in shards) == batch.num_tokens


def test_a_process_without_a_row_gets_an_empty_shard():
    shard = Batch.of(EXAMPLES).shard(2, 3)
    assert shard.source.shape == (0, 3)
    assert shard.num_tokens == 0
    assert [len(part) for part in shard.split(5)] == [0]


@given(number=st.integers(1, 23), parts=st.integers(1, 29), world=st.integers(1, 7))
def test_parts_of_shards_hold_each_row_once(number, parts, world):
    batch, held = rows(number), []
    for rank in range(world):
        for part in batch.shard(rank, world).split(parts):
            held += torch.cat([part.source, part.target], dim=1).tolist()
    whole = torch.cat([batch.source, batch.target], dim=1).tolist()
    assert sorted(held) == sorted(whole)


@given(number=st.integers(1, 23), parts=st.integers(1, 29))
def test_parts_are_about_equal_and_none_is_empty(number, parts):
    sizes = [len(part) for part in rows(number).split(parts)]
    assert len(sizes) == min(number, parts)
    assert max(sizes) - min(sizes) <= 1


def test_a_batch_without_a_source_is_split_too():
    parts = Batch(None, torch.ones(5, 3).long()).split(2)
    assert [part.source for part in parts] == [None, None]
    assert [len(part) for part in parts] == [3, 2]


@facts("source", [True, False])
def test_a_batch_moves_to_a_device(source):
    batch = rows(3) if source else Batch(None, rows(3).target)
    moved = batch.to(torch.device("meta"))
    assert {ids.device.type for ids in moved.inputs} == {"meta"}
    assert len(moved.inputs) == 1 + source


BAD_INPUTS = [
    (lambda: encode_pairs([], TOKENIZER), ValueError, "pairs.*got none.*pass some"),
    (lambda: encode_texts([], TOKENIZER), ValueError, "texts must hold"),
    (lambda: encode_texts("a b", TOKENIZER), TypeError, "texts.*got one str"),
    (lambda: pad([]), ValueError, "sequences must hold at least one"),
    (lambda: pad([5, 7]), TypeError, "sequences.*got int.*write"),
    (lambda: pad("one"), TypeError, "sequences.*got str.*write"),
    (lambda: Batch.of([]), ValueError, "examples.*got none"),
    (
        lambda: Batch.of([EXAMPLES[0], Example(None, [1, 2])]),
        ValueError,
        "all examples or none.*got 1 of 2 with one.*batch them",
    ),
    (
        lambda: Batch(torch.ones(2, 3), torch.ones(2, 3).long()),
        TypeError,
        "source.*got torch.float32",
    ),
    (
        lambda: Batch(None, torch.ones(3).long()),
        ValueError,
        r"target.*got \(3,\).*pad the sequences",
    ),
    (
        lambda: Batch(torch.ones(3, 2).long(), torch.ones(2, 2).long()),
        ValueError,
        "source and target.*got 3 and 2.*make both",
    ),
    (
        lambda: rows(3).shard(2, 2),
        ValueError,
        "rank.*got rank=2 and world_size=2.*count processes",
    ),
    (lambda: rows(3).shard(-1, 2), ValueError, "rank.*got -1"),
    (lambda: rows(3).split(0), ValueError, "parts must be at least 1"),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)


def test_tuples_of_ids_are_padded():
    assert pad(((5, 7), (3,))).tolist() == [[5, 7], [3, 0]]


def test_padding_is_told_by_its_place_and_not_by_its_id():
    batch = Batch(None, torch.tensor([[7, PAD_ID, 5, 3], [4, 6, PAD_ID, PAD_ID]]))
    assert batch.labels.tolist() == [[PAD_ID, 5, 3], [6, IGNORED, IGNORED]]
    assert batch.num_tokens == 4


def test_a_text_may_end_with_the_id_that_pads():
    examples = [Example(None, [7, 5, PAD_ID]), Example(None, [8, PAD_ID])]
    batch = Batch.of(examples)
    expected = [[5, PAD_ID], [PAD_ID, IGNORED]]
    assert batch.labels.tolist() == expected
    assert [part.labels.tolist() for part in batch.split(2)] == [
        [row] for row in expected
    ]
    assert batch.shard(1, 2).labels.tolist() == [expected[1]]
    assert batch.to("cpu").num_tokens == 3


def test_lengths_are_one_for_each_target(refuses):
    target = torch.tensor([[7, 5], [8, 9]])
    refuses(
        lambda: Batch(None, target, torch.tensor([2])),
        ValueError,
        r"lengths.*2 targets, got shape \(1,\)",
    )
