"""Twins of the translator: each lacks a part, and shows what the part is for.

`python -m chapters.live.twins` trains each as the whole translator was trained, writes
its file into `weights/` and what it can do into `twins.json`. A twin whose file is
there is not trained again, only measured. The page fetches a file when its twin is
chosen; what to notice is told before, by `chapters.live.told`.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import normalize

from chapters.laboratory.changed_layers import WithoutCausalMask, WithoutSkip
from chapters.laboratory.language_model import exchange
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.study import Results
from chapters.laboratory.translator import (
    PEAK,
    attention_weights,
    numbers,
    scores,
    train_translator,
)
from chapters.laboratory.word_orders import orders
from chapters.live import pack
from transformer.blocks import Decoder
from transformer.commands.inference import translate
from transformer.data import EOS_ID, Pair
from transformer.layers import LayerNorm, ResidualConnection
from transformer.models import Transformer

MEASUREMENTS = Measurements("live", "twins")
FOLDER = pack.WEIGHTS.with_name("weights")
WHOLE = "the whole machine"
OPENING = '(globalThis.bookTwins ??= {{}})["{name}"] = '


def taken_out(
    kind: type[nn.Module], make: Callable[[nn.Module], nn.Module]
) -> Callable[[nn.Module], None]:
    """Return a function that puts something else in the place of a kind of module."""
    return lambda model: exchange(model, kind, make)


@dataclass(frozen=True)
class Twin:
    """A translator without a part.

    Args:
        learning_rate: The best rung of the ladder of `ABLATIONS`, where it was tried.
        before: What the part does, and what to look for without it, in a few words.
        told: What to notice, with the names of what was measured in braces.
        examples: Numbers that show it.
        choices: What the model is told, as in `new_translator`.
        flags: What the engine is told.
    """

    learning_rate: float
    before: str
    told: str
    examples: tuple[str, ...]
    choices: Mapping[str, object]
    flags: Mapping[str, bool] = field(default_factory=dict)


TWINS: Mapping[str, Twin] = {
    "without-positions": Twin(
        learning_rate=3e-3,
        before="Tell in which order the words stand. Try 6,002 and 2,006.",
        told="Positions say in which order the words stand. Without them the machine "
        "sees which words there are and no more, so two numbers of the same words get "
        "one translation. It gets {one_order:.0%} right of the numbers whose words can "
        "stand in one order only, and {several_orders:.0%} of the others.",
        examples=("six thousand and two", "two thousand and six"),
        choices={"position": "none"},
    ),
    "without-causal-mask": Twin(
        learning_rate=5e-3,
        before="Hides the words to come. Does it still write?",
        told="The causal mask hides the words that are still to be written. Without it "
        "the machine could see them in training, and learned to copy: shown the true "
        "translation, it gets {tokens:.2%} of the words right. When it writes by "
        "itself there is nothing to copy, and it stops at once: it is silent for "
        "{silent:.0%} of the numbers.",
        examples=("zero", "ninety-nine"),
        choices={"change": taken_out(Decoder, WithoutCausalMask)},
        flags={"causal_mask": False},
    ),
    "without-skips": Twin(
        learning_rate=1e-3,
        before="Carry each word past a layer. Does a word come too often?",
        told="Skips carry each word past a layer, beside what the layer makes of it. "
        "Without them attention leaves of each word a mean of words, and so they grow "
        "alike: two words have a cosine of {alike:.2f} when they leave the encoder, in "
        "the whole machine of {whole_alike:.2f}. It gets "
        "{right:.1%} of the numbers right, and in {stammers:.0%} of its texts a word "
        "comes three times in a row.",
        examples=("ninety-nine", "sixteen thousand and sixty-one"),
        choices={"change": taken_out(ResidualConnection, WithoutSkip)},
        flags={"skips": False},
    ),
    "without-norms": Twin(
        learning_rate=1e-2,
        before="Bring numbers to one size. Does anything break?",
        told="Norms bring the numbers of each word to one size. Here nothing breaks "
        "without them: {right:.0%} of the numbers are right, as in the whole machine. "
        "Norms help deep stacks to begin, and this one has two layers a side.",
        examples=("eighty thousand and eighty", "seven hundred and one"),
        choices={"change": taken_out(LayerNorm, lambda norm: nn.Identity())},
    ),
    "without-scale": Twin(
        learning_rate=3e-3,
        before="Divides the scores. Then see its heads: are they surer?",
        told="The scale divides the scores before they become weights. Without it "
        "little breaks: {right:.1%} of the numbers are right. What is lost is time. "
        "After 200 steps of training such twins had {early:.0%} right, whole "
        "machines {whole_early:.0%}. Now look at its heads, which are surer of "
        "themselves: the largest weight of a row is {sure:.2f} on average, in the "
        "whole machine {whole_sure:.2f}.",
        examples=("eighty thousand and eighty", "seven hundred and one"),
        choices={"scale_attention": False},
    ),
}
# What the study of the chapter on ablations calls them.
ABLATIONS = Results("ablations", "changes")
STUDIED = {
    "without-positions": "no positions",
    "without-skips": "no skips",
    "without-norms": "no norm",
    "without-scale": "no scale",
    WHOLE: "baseline",
}
EARLY = 200  # steps, the shorter budget of the study


def path(name: str) -> Path:
    """Return where the numbers of a twin are."""
    return FOLDER / f"{name}.js"


def read(name: str) -> dict:
    """Return a packed twin."""
    return pack.read_script(path(name), OPENING.format(name=name))


def load(name: str) -> Transformer:
    """Return a twin as a model of PyTorch."""
    return pack.load(read(name), **TWINS[name].choices)


def write(name: str, packed: Mapping) -> None:
    """Write a packed twin into its file."""
    FOLDER.mkdir(exist_ok=True)
    pack.write_script(path(name), OPENING.format(name=name), packed)


def train(name: str) -> None:
    """Train a twin as the whole translator was trained, and write its file."""
    twin = TWINS[name]
    trained = train_translator(
        seed=pack.SEED,
        steps=pack.STEPS,
        smoothing=0.0,
        learning_rate=twin.learning_rate,
        **twin.choices,
    )
    vocabulary = numbers().tokenizer.vocabulary
    write(name, pack.pack(trained.model, vocabulary, **twin.flags))


def translations(model: Transformer, pairs: Sequence[Pair]) -> list[str]:
    """Return what a model writes.

    Where words see those that come later, each is read again with every new one.
    """
    texts = [source for source, _ in pairs]
    looks_ahead = any(isinstance(part, WithoutCausalMask) for part in model.modules())
    return translate(model, numbers().tokenizer, texts, use_cache=not looks_ahead)


def stammers(text: str) -> bool:
    """Return whether a word stands three times in a row."""
    pieces = " ".join(numbers().tokenizer.pieces(text))
    return re.search(r"(?<!\S)(\S+)( \1){2}(?!\S)", pieces) is not None


@torch.no_grad()
def alikeness(model: Transformer, pairs: Sequence[Pair]) -> float:
    """Return how alike the words of a text are to the decoder.

    The mean cosine of two rows of the memory, over the pairs of rows of all texts.
    """
    cosines = []
    for source, _ in pairs:
        ids = [*numbers().tokenizer.encode(source), EOS_ID]
        memory = normalize(model.encode(torch.tensor([ids]))[0], dim=-1)
        cosines.append((memory @ memory.T)[*torch.triu_indices(len(ids), len(ids), 1)])
    return torch.cat(cosines).mean().item()


def sureness(model: Transformer, pairs: Sequence[Pair]) -> float:
    """Return the largest weight of a row of attention, its mean over all heads."""
    largest = [
        weights.amax(dim=-1).flatten()
        for pair in pairs
        for weights in attention_weights(model, numbers().tokenizer, pair).values()
    ]
    return torch.cat(largest).mean().item()


def measured(model: Transformer) -> dict:
    """Return what a translator can do with the numbers that were held out.

    Returns:
        "right", the share that it translates without a fault, "one_order" and
        "several_orders", the same for those whose words allow one order only and for
        the others; "silent", the share for which it writes nothing, "stammers", the
        share for which it does; "tokens", the share of right tokens where the true ones
        are given; "alike" and "sure", as in `alikeness` and `sureness`.
    """
    pairs = numbers().splits.test
    wrote = translations(model, pairs)
    right = [text == pair.target for text, pair in zip(wrote, pairs, strict=True)]
    one = [orders()(pair.source) == 1 for pair in pairs]

    def share(chosen: Sequence[bool]) -> float:
        return sum(r and c for r, c in zip(right, chosen, strict=True)) / sum(chosen)

    return {
        "right": sum(right) / len(right),
        "one_order": share(one),
        "several_orders": share([not only for only in one]),
        "silent": wrote.count("") / len(wrote),
        "stammers": sum(map(stammers, wrote)) / len(wrote),
        "tokens": scores(model).token_accuracy,
        "alike": alikeness(model, pairs[:100]),
        "sure": sureness(model, pairs[:100]),
    }


def file_facts(path: Path) -> dict:
    """Return the size and the SHA-256 of a file."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def main() -> None:
    """Train the twins that have no file yet, and measure all of them."""
    whole = measured(pack.load(pack.read_weights()))
    rows = [{"twin": WHOLE, "learning_rate": PEAK} | whole | file_facts(pack.WEIGHTS)]
    for name, twin in TWINS.items():
        if not path(name).is_file():
            train(name)
        row = {"twin": name, "learning_rate": twin.learning_rate}
        rows.append(row | measured(load(name)) | file_facts(path(name)))
        print(rows[-1], flush=True)
    facts = {"steps": pack.STEPS, "seed": pack.SEED, "torch": torch.__version__}
    MEASUREMENTS.write(rows, **facts)


if __name__ == "__main__":
    main()
