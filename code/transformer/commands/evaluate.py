"""The command `evaluate`: what a model is worth on texts that it has not seen."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from pathlib import Path

from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import (
    Computing,
    Evaluating,
    SettingsError,
    Trained,
    warn,
)
from transformer.commands.folder import Run
from transformer.commands.inference import ROWS, translate
from transformer.commands.metrics import bleu, exact_match, sacrebleu
from transformer.commands.settings import Settings
from transformer.commands.texts import fitting_pairs, read_splits, text_ids
from transformer.data import Pair, Tokenizer, encode_pairs, sorted_batches
from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.packages import need
from transformer.training import (
    LabelSmoothingLoss,
    bits_per_character,
    evaluate,
    score_text,
)


def evaluate_command(asked: Evaluating, trained: Trained, computing: Computing) -> None:
    """Measure as the flags say, and print the measures."""
    device, run = find_device(computing), Run(Path(trained.run))
    model, tokenizer, settings = run.load()
    set_threads(computing, d_model=settings.d_model)
    splits = read_splits(found_again(settings, asked.pairs), warn)
    run.check_text(splits)
    if settings.text is not None:
        text = "".join(getattr(splits, asked.split))
        found = language_scores(model.to(device), tokenizer, settings, text)
        show(asked, found, f"{len(text):,} characters")
        return
    pairs = fitting_pairs(settings, getattr(splits, asked.split), tokenizer, warn)
    try:  # before what takes long
        sacrebleu()
    except ImportError as error:
        warn(f"The measures come without BLEU. {error}")
    tqdm = need("tqdm", what="a progress bar needs", extra="training").tqdm
    hidden = True if asked.json else None  # None: unless it stands in a terminal
    with tqdm(total=len(pairs), unit="text", disable=hidden) as bar:
        options = {"beam_width": trained.beam_width, "progress": bar.update}
        found = scores(model.to(device), tokenizer, pairs, **options)
    show(asked, found, f"{len(pairs):,} texts")


def show(asked: Evaluating, found: Mapping[str, float], measured: str) -> None:
    """Print measures as a table, or as JSON, which knows no infinity."""
    if asked.json:
        finite = {name: x if isfinite(x) else None for name, x in found.items()}
        print(json.dumps(finite))
        return
    print(f"{measured} of the {asked.split} split")
    for name, value in found.items():
        named, digits = ("BLEU", 2) if name == "bleu" else (name.replace("_", " "), 4)
        print(f"{named:<{max(map(len, found))}}  {value:.{digits}f}")


def language_scores(
    model: DecoderOnlyTransformer, tokenizer: Tokenizer, settings: Settings, text: str
) -> dict[str, float]:
    """Return how well a language model knows what comes next in a text.

    Half of each window is only read, so that each token but the first has much before
    it.
    """
    ids, width = text_ids(settings, [text], tokenizer), settings.max_length
    nats = score_text(model, ids, width=width, stride=max(1, width // 2))
    return {
        "bits_per_character": bits_per_character(nats, text),
        "perplexity": float(nats.double().mean().exp()),
    }


def found_again(settings: Settings, now: str | None) -> Settings:
    """Return settings with the place where the file of pairs is now."""
    if now is not None and settings.pairs is None:
        raise SettingsError(
            "--pairs must be for a training that had --pairs, got one that has learned "
            f"{settings.name}; leave it out."
        )
    if now is not None:
        return replace(settings, pairs=now)
    if settings.pairs is not None and not Path(settings.pairs).is_file():
        raise SettingsError(
            "the text of this training must be where it was, but there is no "
            f"{settings.pairs}; say where it is now with --pairs FILE."
        )
    return settings


def scores(
    model: Transformer, tokenizer: Tokenizer, pairs: Sequence[Pair], **options: object
) -> dict[str, float]:
    """Return how well a model translates pairs, by four measures.

    Returns:
        `exact_match`, the share of translations that are equal to the reference;
        `token_accuracy`, the share of tokens that are most likely given the true ones
        before; `perplexity`, the exponential of their mean cross-entropy; `bleu`, if
        `sacrebleu` is installed.
    """
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    translations = translate(model, tokenizer, sources, **options)
    batches = sorted_batches(encode_pairs(pairs, tokenizer), batch_size=ROWS)
    teacher_forced = evaluate(model, batches, loss=LabelSmoothingLoss(smoothing=0.0))
    found = {
        "exact_match": exact_match(translations, references),
        "token_accuracy": teacher_forced.token_accuracy,
        "perplexity": teacher_forced.perplexity,
    }
    with suppress(ImportError):
        found["bleu"] = bleu(translations, references)
    return found
