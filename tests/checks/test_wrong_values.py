"""What an export cannot take is refused in words of the book, not of PyTorch."""

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
    said = f"^device .*got '{device}'; pass 'cpu'"
    with pytest.raises(ValueError, match=said):
        make(device=device)
    assert make(device="cpu") is not None
    assert make(device=None) is not None


HALF = torch.float16
CASES = {
    ValueError: {
        r"real.*\(3, 2\).*got \(3, 1\) on cpu; pass": lambda: remember(
            torch.ones(3, 1).bool()
        ),
        r"logits.*\(..., experts\).*got a single number; pass": lambda: (
            load_balancing_loss(torch.tensor(2.0), experts_per_token=1)
        ),
        r"logits.*\(..., experts\).*got one on meta; pass": lambda: load_balancing_loss(
            torch.ones(2, 3, device="meta"), experts_per_token=1
        ),
        "logits and seen.*got cpu and meta; move": lambda: penalize_repetition(
            torch.ones(2, 3), torch.ones(2, 3, device="meta").bool(), 1.2
        ),
        "logits and labels.*got cpu and meta; move": lambda: LabelSmoothingLoss()(
            torch.ones(2, 3), torch.ones(2, device="meta").long()
        ),
        "tokens.*got a single id; add": lambda: InputEmbedding(CONFIG)(torch.tensor(1)),
    },
    TypeError: {
        r"time.*got '2' \(str\); pass": lambda: remember(None, "2"),
        r"real.*\(batch, time\).*got \(3,\); write": lambda: remember(
            torch.ones(3).bool()
        ),
        r"real.*\(batch, time\).*got list; write": lambda: remember([[True, True]]),
        "real.*got torch.float32; write": lambda: remember(torch.ones(3, 2)),
        r"length.*got '3' \(str\); pass": lambda: length_divisor("3", 0.6),
        r"length_penalty.*got tensor.*\(Tensor\); pass": lambda: length_divisor(
            3, torch.ones(2)
        ),
        "batches.*got NoneType; .*sorted_batches": lambda: evaluate(
            Transformer(CONFIG), None
        ),
        "each of batches.*got Tensor; .*sorted_batches": lambda: evaluate(
            Transformer(CONFIG), torch.ones(2, 3).long()
        ),
        "batches.*got list of Example; .*sorted_batches": lambda: run(
            trainer(), encode_pairs([PAIR], TOKENIZER), steps=1
        ),
        "batches must.*got NoneType; .*sorted_batches": lambda: run(
            trainer(), None, steps=1
        ),
        "examples.*got list of Pair; .*encode_pairs": lambda: sorted_batches(
            [PAIR], batch_size=2
        ),
        "examples.*got int; .*encode_pairs": lambda: TrainingBatches(5, batch_size=2),
        "sequences.*got int; write": lambda: pad([5, 7]),
        "sequences.*got str; write": lambda: pad("one"),
        r"blocks.*\(blocks, 34\), got torch.float16 of.*\(2, 34\); pass": lambda: (
            unpack_q8_0(torch.zeros(2, 34, dtype=HALF))
        ),
        r"blocks.*\(blocks, 20\), got torch.uint8 of.*\(20,\); pass": lambda: (
            unpack_q4_1(torch.zeros(20, dtype=torch.uint8))
        ),
    },
}


@facts(
    "error, words, call",
    [(error, *row) for error, rows in CASES.items() for row in rows.items()],
)
def test_what_does_not_fit_is_refused_in_a_sentence(error, words, call, refuses):
    refuses(call, error, words)


def test_tuples_of_ids_are_padded():
    found = pad(((5, 7), (3,)))
    assert found.tolist() == [[5, 7], [3, 0]]


def test_a_tuple_of_examples_is_a_list_of_them():
    example = Example([5, 2], [1, 7, 2])
    assert len(sorted_batches((example, example), batch_size=1)) == 2
