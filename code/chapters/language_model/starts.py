"""A short text of another author, learned from nothing or from a trained model.

`python -m chapters.language_model.starts` takes five minutes of one core, and needs the
package `pyppmd`. The text is two chapters of *Alice*, the end of them held out.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from chapters.laboratory import alice, king_james
from chapters.laboratory.measurements import Measurements
from chapters.language_model.compressors import ppmd
from chapters.language_model.recipe import LINE_END, Recipe
from transformer.data import TextBatches, Tokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    adam,
    bits_per_character,
    run,
    score_text,
)
from transformer.zoo import LanguageModel, load

MEASUREMENTS = Measurements("language_model", "starts")
WIDTH, BATCH = 64, 4  # of what a step learns from
JUDGED, STRIDE = 256, 128  # of the windows that are scored
HELD_OUT = 0.2  # share of the text, its end
LONGEST = 16  # letters that PPMd counts together
# For each start the steps after which the end is priced, and the rate.
STARTS = {
    "nothing": ((0, 20, 100), 1e-2),
    "verses": ((0, 20, 100), 1e-3),
    "smollm2-135m": ((0, 10), 1e-4),
}


def parts() -> tuple[str, str]:
    """Return what is learned, and the end of the text, from a line on."""
    text = alice.book() + LINE_END
    cut = text.index(LINE_END, int(len(text) * (1 - HELD_OUT))) + 1
    return text[:cut], text[cut:]


def begin(start: str) -> LanguageModel:
    """Return the model of a start and its tokenizer, ready to learn.

    Dropout begins with the same draws whatever was trained before.
    """
    if start != "nothing":
        found = load(start, dtype=torch.float32)
        torch.manual_seed(0)
        return found
    tokenizer = load("verses").tokenizer
    torch.manual_seed(0)
    config = Recipe().config(tokenizer.vocab_size)
    return LanguageModel(DecoderOnlyTransformer(config).float(), tokenizer)


def bits_of_end(model: DecoderOnlyTransformer, tokenizer: Tokenizer) -> float:
    """Return what a character of the held-out end costs, after what stands before."""
    known, end = parts()
    before = tokenizer.encode(LINE_END + known)[-JUDGED:]
    ids = torch.tensor([*before, *tokenizer.encode(end)])
    nats = score_text(model, ids, width=JUDGED, stride=STRIDE)
    return bits_per_character(nats[len(before) - 1 :], end)


def learned(tokenizer: Tokenizer) -> Tensor:
    """Return the tokens that are learned."""
    return torch.tensor(tokenizer.encode(LINE_END + parts()[0]))


def measured(start: str) -> Iterator[dict[str, object]]:
    """Train from a start; yield what the end costs at some steps."""
    (steps, rate), (model, tokenizer) = STARTS[start], begin(start)
    optimizer = adam(model, learning_rate=rate)
    loss = LabelSmoothingLoss(smoothing=0.0)
    trainer = Trainer(model.train(), loss=loss, optimizer=optimizer)
    batches = TextBatches(learned(tokenizer), width=WIDTH, batch_size=BATCH)
    for step in steps:
        if step:
            run(trainer, batches, steps=step)
        bits = bits_of_end(model, tokenizer)
        yield {"start": start, "rate": rate, "step": step, "bits": bits}


def ppmd_bits(before: str = "") -> float:
    """Return what PPMd needs for a character of the end, after what stands before.

    Args:
        before: What it has read even before that.
    """
    known, end = parts()
    compress = ppmd(LONGEST)
    both, one = (len(compress((before + x).encode())) for x in (known + end, known))
    return 8 * (both - one) / len(end)


def measure() -> Iterator[dict[str, object]]:
    """Yield the rows of PPMd, alone and after the Bible, and of all starts."""
    yield {"start": "PPMd", "step": 0, "bits": ppmd_bits()}
    bible = king_james.split_text("train")
    yield {"start": "PPMd after the Bible", "step": 0, "bits": ppmd_bits(bible)}
    for start in STARTS:
        for row in measured(start):
            print(row, flush=True)
            yield row


if __name__ == "__main__":
    torch.set_num_threads(1)
    learn, end = map(len, parts())
    MEASUREMENTS.write([*measure()], letters=learn, held_out=end)
