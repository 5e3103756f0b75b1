"""The texts of a training: read or made, divided, and cut into tokens."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import torch
from torch import Tensor

from transformer.commands.flags import SettingsError
from transformer.commands.settings import Settings
from transformer.data import (
    TASKS,
    TOKENIZERS,
    Pair,
    ReadReport,
    Splits,
    Tokenizer,
    load_corpus,
    read_parallel,
)
from transformer.data.parallel_text import check_file

# Share of a reader's own sources or text, for validation and for the test each.
HELD_OUT = 0.05


def read_splits(settings: Settings, report: Callable[[str], None]) -> Splits:
    """Make or read the text to learn from, and report what was left out of it."""
    try:
        if settings.corpus is not None:
            splits, reports = load_corpus(settings.corpus, seed=settings.seed)
        elif settings.text is not None:
            return split_texts([read_text(Path(path)) for path in settings.text])
        elif settings.pairs is not None:
            pairs, found = read_parallel(settings.pairs)
            splits, reports = split(pairs, settings, found), [found]
        else:
            options = {} if settings.examples is None else {"train": settings.examples}
            return TASKS[settings.task](seed=settings.seed, **options)
    except ValueError as error:
        raise SettingsError(f"there is no text to learn from: {error}") from error
    for found in reports:
        report(str(found))
    return splits._replace(train=splits.train[: settings.examples])


def split(pairs: list[Pair], settings: Settings, found: ReadReport) -> Splits:
    """Divide a reader's own pairs; the report says why there are not more.

    All translations of a source are in one split, so none is met in two.
    """
    translations: dict[str, list[Pair]] = {}
    for pair in pairs:
        translations.setdefault(pair.source, []).append(pair)
    groups = list(translations.values())
    if len(groups) < 3:
        raise SettingsError(
            "--pairs must have at least 3 different sources that can be used, got "
            f"{len(groups)}; add some, or mend what was left out.\n{found}"
        )
    Random(settings.seed).shuffle(groups)
    held_out = max(1, round(HELD_OUT * len(groups)))
    parts = groups[2 * held_out :], groups[:held_out], groups[held_out : 2 * held_out]
    return Splits(*([pair for group in part for pair in group] for part in parts))


def read_text(path: Path) -> str:
    """Return what a file of text holds, with the line ends of this book."""
    check_file(path)
    text = path.read_text(encoding="utf-8-sig")
    if not text.strip():
        raise SettingsError(f"--text must hold text, got none in {path}; name another.")
    return text if text.endswith("\n") else text + "\n"


def split_texts(texts: Sequence[str]) -> Splits:
    """Divide texts by place: the end of each is for validation and for the test.

    What stands side by side is alike, so a random part would be known too well. A part
    ends where a line does, if it has an end.
    """
    splits = Splits([], [], [])
    for text in texts:
        first, second = (
            after_line(text, round((1 - parts * HELD_OUT) * len(text)))
            for parts in (2, 1)
        )
        parts = text[:first], text[first:second], text[second:]
        for held, part in zip(splits, parts, strict=True):
            held.append(part)
    return splits


def after_line(text: str, place: int) -> int:
    """Return where the next line begins, if it is near; else the place itself."""
    end = text.find("\n", place, place + max(1, round(HELD_OUT * len(text) / 2)))
    return place if end < 0 else end + 1


def text_ids(settings: Settings, texts: Sequence[str], tokenizer: Tokenizer) -> Tensor:
    """Return texts as one row of ids, which begins with a line end."""
    ids = tokenizer.encode_prompt("".join(texts))
    if len(ids) < 2:
        raise SettingsError(
            "--text must leave something to hold out, got too little; add some."
        )
    return torch.tensor(ids)


def fitting_pairs(
    settings: Settings,
    pairs: Sequence[Pair],
    tokenizer: Tokenizer,
    report: Callable[[str], None],
) -> list[Pair]:
    """Return the pairs that are not too long for the model; report how many are."""
    fitting = [
        pair
        for pair in pairs
        if all(len(tokenizer.encode(side)) <= settings.max_length for side in pair)
    ]
    if not fitting:
        raise SettingsError(
            f"--max-length must leave some text, got {settings.max_length} and only "
            "longer ones; raise it."
        )
    if len(fitting) < len(pairs):
        report(
            f"left out {len(pairs) - len(fitting)} of {len(pairs)} pairs with more "
            f"than {settings.max_length} tokens"
        )
    return fitting


def fit_tokenizer(settings: Settings, learned: list[Pair] | list[str]) -> Tokenizer:
    """Return a tokenizer that knows the text to learn from, both sides of pairs."""
    texts = learned
    if settings.text is None:
        texts = [text for pair in learned for text in pair]
    elif settings.tokenizer == "characters":
        texts = ["\n", *learned]  # what stands before a text
    kind = TOKENIZERS[settings.tokenizer]
    options = {}
    if settings.tokenizer == "subwords":
        options["vocab_size"] = settings.vocab_size
    tokenizer = kind.fit(texts, **options)
    if settings.text is not None:
        tokenizer.opening = "\n"
    return tokenizer
