"""What the trained model can: windows that overlap, endings to choose, and quotations.

`python -m chapters.language_model.exams` asks the model that comes with the package,
and takes two minutes of one core.
"""

from collections.abc import Iterator

import torch
from torch import nn

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements
from chapters.language_model.copying import longest_copy, pieces
from chapters.language_model.endings import Question, ending_nats, questions
from chapters.language_model.recipe import LINE_END
from transformer.data import Tokenizer
from transformer.decoding import generate
from transformer.training import bits_per_character, score_text
from transformer.zoo import load

MEASUREMENTS = Measurements("language_model", "exams")
WIDTH, STRIDES = 256, (256, 128, 64, 32)
ASKED = 100  # questions about each test book
TEXTS, LONG = 10, 200  # texts that are written, and the tokens of each
WAYS = {"greedy": None, "temperature 0.7": 0.7, "temperature 1": 1.0}


def windows(model: nn.Module, tokenizer: Tokenizer) -> Iterator[dict]:
    """Yield what a letter of Hosea costs with windows that overlap more and more."""
    text = king_james.text("Hosea")
    ids = torch.tensor(tokenizer.encode(LINE_END + text))
    for stride in STRIDES:
        nats = score_text(model, ids, width=WIDTH, stride=stride)
        yield {
            "exam": "windows",
            "way": stride,
            "found": bits_per_character(nats, text),
        }


def endings(model: nn.Module, tokenizer: Tokenizer) -> Iterator[dict]:
    """Yield how many endings each rule finds, of `ASKED` for each test book."""
    right: dict[str, int] = {}
    for book in king_james.names_of("test"):
        for question in questions(king_james.books()[book], count=ASKED):
            for rule, place in chosen(model, tokenizer, question).items():
                right[rule] = right.get(rule, 0) + (place == question.answer)
    for rule, count in right.items():
        yield {"exam": "endings", "way": rule, "found": count}


def chosen(
    model: nn.Module, tokenizer: Tokenizer, question: Question
) -> dict[str, int]:
    """Return which ending each rule takes."""
    after = ending_nats(model, tokenizer, question)
    alone = ending_nats(model, tokenizer, question, alone=True)
    lengths = torch.tensor([len(ending) for ending in question.endings])
    return {
        "likeliest after the beginning": int(after.argmin()),
        "likeliest by the letter": int((after / lengths).argmin()),
        "gains most by the beginning": int((after - alone).argmin()),
        "likeliest without the beginning": int(alone.argmin()),
        "shortest": int(lengths.argmin()),
        "longest": int(lengths.argmax()),
    }


def quotations(model: nn.Module, tokenizer: Tokenizer) -> Iterator[dict]:
    """Yield the longest copy in each written text, and in as much of the test books."""
    learned, sizes = king_james.split_text("train"), []
    for way, temperature in WAYS.items():
        texts = [
            generate(
                model,
                begin,
                tokenizer=tokenizer,
                max_new_tokens=LONG,
                temperature=temperature,
                seed=None if temperature is None else seed,
            )
            for seed, begin in enumerate(beginnings())
        ]
        sizes += map(len, texts)
        yield from copies(way, texts, learned)
    size = round(sum(sizes) / len(sizes))
    unseen = pieces(king_james.split_text("test"), size=size, count=TEXTS)
    yield from copies("test books", unseen, learned)


def beginnings() -> list[str]:
    """Return the first two words of verses of the test books, far apart."""
    verses = king_james.split_text("test").splitlines()
    found = [verses[len(verses) * n // TEXTS] for n in range(TEXTS)]
    return [" ".join(verse.split()[:2]) for verse in found]


def copies(way: str, texts: list[str], learned: str) -> Iterator[dict]:
    """Yield the longest run of each text that stands in another."""
    for text in texts:
        found = longest_copy(text, learned)
        yield {"exam": "copies", "way": way, "found": len(found), "text": found}


def measure() -> Iterator[dict]:
    """Yield all results."""
    model, tokenizer = load("verses")
    for exam in (windows, endings, quotations):
        for row in exam(model, tokenizer):
            print(row, flush=True)
            yield row


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([*measure()], asked=4 * ASKED)
