"""Explorer: a verse that is guessed letter by letter, better and better."""

from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory import king_james
from chapters.language_model.ngrams import LINE_END, ngram_bits
from chapters.shared.explorer.frame import Explorer, slider
from transformer import zoo

VERSE = "For I am not ashamed of the gospel"  # Romans 1:16, which none has read
LONGEST = 6  # letters of the longest n-gram
SHOWN = 2  # guesses that are told at each place
Guess = tuple[str, float]
Place = tuple[int, float, list[Guess]]  # letters, their bits, and what was likeliest


def show() -> Explorer:
    """Show what each letter of a verse costs eight guessers."""
    return Explorer(
        chapter="language_model",
        name="language_model",
        title="what each letter of a verse costs eight guessers",
        instruction="Push the guesser to the right: the bars sink, and the file "
        "shrinks. With 5 letters before, drag the letter along <em>ashamed</em>: its "
        "first three letters cost 9 bits, the other four 1.",
        controls=[slider("guesser", "guesser", low=0, high=LONGEST + 1, value=2)],
        data={"verse": VERSE, "guessers": write([*by_letters(), by_pieces()])},
        uses=("drag",),
    )


def write(guessers: list[list[Place]]) -> list[list]:
    """Round places to hundredths of bits, and percents."""
    return [
        [
            [letters, round(bits, 2), [[x, round(100 * p)] for x, p in likeliest]]
            for letters, bits, likeliest in places
        ]
        for places in guessers
    ]


@cache
def by_letters() -> list[list[Place]]:
    """Return the places of the verse as n-grams guess them, the first by nothing."""
    train = king_james.split_text("train")
    kinds = sorted({*train, LINE_END})
    text = before() + VERSE
    ends = range(len(text) - len(VERSE), len(text))
    histories = [text[end - LONGEST + 1 : end] for end in ends]
    asked = "".join(history + kind for history in histories for kind in kinds)
    bits = torch.tensor(ngram_bits(train, asked, order=LONGEST))
    chances = (-bits[:, LONGEST - 1 :: LONGEST]).exp2()
    chances = chances.view(LONGEST, len(VERSE), len(kinds))
    equal = torch.full_like(chances[:1], 1 / len(kinds))
    return [_places(rows, list(VERSE), kinds) for rows in torch.cat([equal, chances])]


@cache
def by_pieces() -> list[Place]:
    """Return the pieces of the verse as `verses` guesses them."""
    model, tokenizer = zoo.load("verses")
    read, ids = (tokenizer.encode(text) for text in (before(), VERSE))
    with torch.no_grad():
        logits = model(torch.tensor([read + ids[:-1]]))[0, len(read) - 1 :]
    kinds = [tokenizer.decode([i]) for i in range(tokenizer.vocab_size)]
    return _places(logits.softmax(dim=-1), [kinds[i] for i in ids], kinds)


def before() -> str:
    """Return the verse before, with its line end, which all guessers may read."""
    text = king_james.split_text("validation")
    end = text.index(VERSE)
    return text[text.rindex(LINE_END, 0, end - 1) + 1 : end]


def _places(
    chances: Float[Tensor, "places kinds"], written: list[str], kinds: list[str]
) -> list[Place]:
    """Return each place: letters, their bits, and the guesses that were likeliest."""
    found = []
    for row, text in zip(chances, written, strict=True):
        top = row.topk(SHOWN)
        guesses = [
            (kinds[i], p) for p, i in zip(top.values.tolist(), top.indices, strict=True)
        ]
        bits = -row[kinds.index(text)].log2().item()
        found.append((len(text), bits, guesses))
    return found
