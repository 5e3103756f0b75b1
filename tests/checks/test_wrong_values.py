"""What an export cannot take is refused in words of the book, not of PyTorch."""

import re

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.blocks import InputEmbedding
from transformer.config import TransformerConfig
from transformer.data import (
    Example,
    Pair,
    TrainingBatches,
    WordTokenizer,
    encode_pairs,
    pad,
    sorted_batches,
)
from transformer.decoding import length_divisor, penalize_repetition
from transformer.layers import (
    DecoderCache,
    KVCache,
    alibi_slopes,
    causal_mask,
    load_balancing_loss,
)
from transformer.models import Transformer
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    adam,
    evaluate,
    run,
)
from transformer.zoo import unpack_q4_1, unpack_q8_0

PAIR = Pair("one", "un")
TOKENIZER = WordTokenizer.fit(PAIR)
CONFIG = TransformerConfig(
    vocab_size=TOKENIZER.vocab_size, d_model=6, d_ff=5, num_heads=2, max_len=11
)


def cache(**device):
    return KVCache(2, 3, 5, 7, **device)


def decoder_cache(**device):
    return DecoderCache(2, batch=3, num_kv_heads=5, max_len=7, d_head=11, **device)


def remember(real, time=2):
    return decoder_cache().remember(real, time)


def trainer():
    model = Transformer(CONFIG)
    return Trainer(model, loss=LabelSmoothingLoss(), optimizer=adam(model))


@facts(
    "make",
    [
        cache,
        decoder_cache,
        lambda **device: alibi_slopes(3, **device),
        lambda **device: causal_mask(3, **device),
    ],
    ids=["KVCache", "DecoderCache", "alibi_slopes", "causal_mask"],
)
@facts("device", ["gpu", "cpu:-1", "cuda:99", "hpu"])
def test_a_device_that_is_not_here_is_named(make, device):
    said = f"^device must be one that is here, got '{device}'; pass 'cpu', or 'cuda' "
    with pytest.raises(ValueError, match=said):
        make(device=device)
    assert make(device="cpu") is not None
    assert make(device=None) is not None


HALF = torch.float16
CASES = {
    "time is no number": (
        lambda: remember(None, "2"),
        "time must be a whole number, got '2' (str); pass an int.",
    ),
    "real is one row": (
        lambda: remember(torch.ones(3).bool()),
        "real must be a Boolean tensor of shape (batch, time), got (3,); write for "
        "example tokens != pad_id.",
    ),
    "real is a list": (
        lambda: remember([[True, True]]),
        "real must be a Boolean tensor of shape (batch, time), got list; write for "
        "example tokens != pad_id.",
    ),
    "real holds floats": (
        lambda: remember(torch.ones(3, 2)),
        "real must be a Boolean tensor in which True means a real position, got "
        "torch.float32; write for example tokens != pad_id.",
    ),
    "real is too short": (
        lambda: remember(torch.ones(3, 1).bool()),
        "real must have shape (3, 2) on cpu, got (3, 1) on cpu; pass one True or False "
        "for each position.",
    ),
    "logits of no expert": (
        lambda: load_balancing_loss(torch.tensor(2.0), experts_per_token=1),
        "logits must have shape (..., experts) and numbers that can be counted, got a "
        "single number; pass those of the router.",
    ),
    "logits without numbers": (
        lambda: load_balancing_loss(
            torch.ones(2, 3, device="meta"), experts_per_token=1
        ),
        "logits must have shape (..., experts) and numbers that can be counted, got "
        "one on meta; pass those of the router.",
    ),
    "seen elsewhere": (
        lambda: penalize_repetition(
            torch.ones(2, 3), torch.ones(2, 3, device="meta").bool(), 1.2
        ),
        "logits and seen must be on one device, got cpu and meta; move one with "
        ".to(device).",
    ),
    "labels elsewhere": (
        lambda: LabelSmoothingLoss()(
            torch.ones(2, 3), torch.ones(2, device="meta").long()
        ),
        "logits and labels must be on one device, got cpu and meta; move the labels "
        "with .to(logits.device).",
    ),
    "a length is text": (
        lambda: length_divisor("3", 0.6),
        "length must be a number of tokens, or a tensor of such numbers, got '3' "
        "(str); pass an int.",
    ),
    "a penalty is a tensor": (
        lambda: length_divisor(3, torch.ones(2)),
        "length_penalty, if not 0, must be a number, got tensor([1., 1.]) (Tensor); "
        "pass a float.",
    ),
    "a single id": (
        lambda: InputEmbedding(CONFIG)(torch.tensor(1)),
        "tokens must have a time axis, got a single id; add it with [None].",
    ),
    "batches are none": (
        lambda: evaluate(Transformer(CONFIG), None),
        "batches must be an Iterable, got NoneType; make them by "
        "sorted_batches(examples, batch_size=64).",
    ),
    "batches are tokens": (
        lambda: evaluate(Transformer(CONFIG), torch.ones(2, 3).long()),
        "each of batches must be a Batch, got Tensor; make them by "
        "sorted_batches(examples, batch_size=64).",
    ),
    "a step of examples": (
        lambda: run(trainer(), encode_pairs([PAIR], TOKENIZER), steps=1),
        "batches must be a list of Batch, got list of Example; make them by "
        "sorted_batches(examples, batch_size=64).",
    ),
    "a step of nothing": (
        lambda: run(trainer(), None, steps=1),
        "batches must be a list of Batch, got NoneType; make them by "
        "sorted_batches(examples, batch_size=64).",
    ),
    "examples are pairs": (
        lambda: sorted_batches([PAIR], batch_size=2),
        "examples must be a list of Example, got list of Pair; make them by "
        "encode_pairs(pairs, tokenizer).",
    ),
    "examples are a number": (
        lambda: TrainingBatches(5, batch_size=2),
        "examples must be a list of Example, got int; make them by "
        "encode_pairs(pairs, tokenizer).",
    ),
    "one sequence of ids": (
        lambda: pad([5, 7]),
        "sequences must be a list of ids for each text, got int; write for example "
        "[[5, 7], [5]].",
    ),
    "sequences are a text": (
        lambda: pad("one"),
        "sequences must be a list of ids for each text, got str; write for example "
        "[[5, 7], [5]].",
    ),
    "blocks of other bytes": (
        lambda: unpack_q8_0(torch.zeros(2, 34, dtype=HALF)),
        "blocks must be a torch.uint8 tensor of shape (blocks, 34), got torch.float16 "
        "of shape (2, 34); pass the bytes as they stand in a file.",
    ),
    "one block": (
        lambda: unpack_q4_1(torch.zeros(20, dtype=torch.uint8)),
        "blocks must be a torch.uint8 tensor of shape (blocks, 20), got torch.uint8 of "
        "shape (20,); pass the bytes as they stand in a file.",
    ),
}


@facts("case", CASES)
def test_what_does_not_fit_is_refused_in_a_sentence(case, refuses):
    call, said = CASES[case]
    refuses(call, (TypeError, ValueError), f"{re.escape(said)}$")


def test_tuples_of_ids_are_padded():
    found = pad(((5, 7), (3,)))
    assert found.tolist() == [[5, 7], [3, 0]]


def test_a_tuple_of_examples_is_a_list_of_them():
    example = Example([5, 2], [1, 7, 2])
    assert len(sorted_batches((example, example), batch_size=1)) == 2
