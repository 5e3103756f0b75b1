"""The card of the book's own language model: where it comes from, what it is worth."""

from collections.abc import Mapping, Sequence

from chapters.laboratory import king_james

CARD = """\
# verses

A small language model that goes on with a text in the manner of the King James Bible.
It was trained for *The Tested Transformer*, and comes with the package:
`model, tokenizer = transformer.zoo.load("verses")`, or
`python -m transformer write --model verses "And it came to pass"`.
Each text it reads must begin with a line end, as in training.

## What it learned from

- **Text**: the King James Bible (public domain) of the package `{requirement}` (MIT),
  31,102 verses without their numbers, a line each. SHA-256 of its file:
  `{checksum}`.
- **Training**: {train_books} books, {train_characters:,} characters. Held out for
  validation: {validation}. Held out for the test: {test}. Words are as in that package,
  which differs here and there from the edition of 1769.
- **Tokens**: byte-pair encoding, {vocab_size:,} ids, fitted to the training books.

## How it was trained

A Llama of {num_layers} layers, {d_model} features, {num_heads} heads and
{parameters:,} parameters; {steps:,} steps of {batch_size} windows of {width} tokens,
{tokens:,} tokens or {epochs:.1f} epochs; {optimizer} with a peak rate of
{learning_rate}, a cosine, weight decay of {weight_decay}, dropout of {dropout},
products in bfloat16, seed {seed}. One thread of a CPU took {minutes:.0f} minutes.
The rate was chosen among three, by short trainings, on the validation books.
`make language-model` repeats it; other processors round otherwise, so the numbers
come out near these, not equal.

## What it is worth

Bits for each character. *Frozen*: windows of 256 tokens, of which each but the first is
scored in its last 128. *Learning*: after each 128 scored tokens Adam takes one step on
the window that ends with them, at a rate that the validation books chose
({adaptive_rate:g}).

| books | frozen, float32 | frozen, 8 bits | learning, 8 bits |
|---|---|---|---|
{table}

The file holds matrices in eight bits, with a scale for each row.

## What it cannot

It knows one book, in English of 1611, and no fact outside it. It answers no question
and follows no instruction. What it writes sounds like scripture and is none: names,
numbers and teachings are made up, and parts may be quoted. It loses the thread after a
verse or two, and remembers {width} tokens at most.
"""


def card(rows: Sequence[Mapping], facts: Mapping) -> str:
    """Return the card.

    Args:
        rows: What `results.measure` yields.
        facts: The recipe, and the counts of the training.
    """
    recipe = facts["recipe"]
    train = king_james.names_of("train")
    rate = rows[-1]["learning_rate"]  # of the test, which comes last
    rows = [row for row in rows if row.get("learning_rate", rate) == rate]
    lines = [
        f"| {_name(split, book)} | "
        + " | ".join(f"{_bits(rows, split, book, *way):.3f}" for way in WAYS)
        + " |"
        for split in ("validation", "test")
        for book in ("all", *king_james.names_of(split))
    ]
    return CARD.format(
        **recipe,
        requirement=king_james.REQUIREMENT,
        checksum=king_james.CHECKSUM,
        train_books=len(train),
        train_characters=len(king_james.split_text("train")),
        validation=", ".join(king_james.names_of("validation")),
        test=", ".join(king_james.names_of("test")),
        parameters=facts["parameters"],
        tokens=facts["tokens"],
        epochs=facts["tokens"] / facts["tokens_an_epoch"],
        minutes=facts["cpu_seconds"] / 60,
        adaptive_rate=rate,
        table="\n".join(lines),
    )


WAYS = (("float32", "frozen"), ("8 bits", "frozen"), ("8 bits", "adaptive"))


def _name(split: str, book: str) -> str:
    """Return how a row of the table is called."""
    return f"**{split}**" if book == "all" else book


def _bits(
    rows: Sequence[Mapping], split: str, book: str, weights: str, way: str
) -> float:
    """Return what was measured."""
    wanted = {"split": split, "book": book, "weights": weights, "way": way}
    [row] = [row for row in rows if wanted.items() <= row.items()]
    return row["bits"]
