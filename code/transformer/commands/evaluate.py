"""The command `evaluate`: what a model is worth on texts that it has not seen."""

import json
from collections.abc import Sequence
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
from transformer.data import Pair, Splits, Tokenizer, encode_pairs, sorted_batches
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
        show_language(asked, settings, model.to(device), tokenizer, splits)
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
    if asked.json:
        finite = {name: x if isfinite(x) else None for name, x in found.items()}
        print(json.dumps(finite))  # JSON knows no infinity
        return
    print(f"{len(pairs):,} texts of the {asked.split} split")
    for name, value in found.items():
        named, digits = ("BLEU", 2) if name == "bleu" else (name.replace("_", " "), 4)
        print(f"{named:<14}  {value:.{digits}f}")


def show_language(
    asked: Evaluating,
    settings: Settings,
    model: DecoderOnlyTransformer,
    tokenizer: Tokenizer,
    splits: Splits,
) -> None:
    """Print how well a language model knows what comes next in a held-out text.

    Half of each window is only read, so that each token but the first has much before
    it.
    """
    text, width = "".join(getattr(splits, asked.split)), settings.max_length
    ids = text_ids(settings, [text], tokenizer)
    nats = score_text(model, ids, width=width, stride=max(1, width // 2))
    found = {
        "bits_per_character": bits_per_character(nats, text),
        "perplexity": float(nats.double().mean().exp()),
    }
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{len(text):,} characters of the {asked.split} split")
    for name, value in found.items():
        print(f"{name.replace('_', ' '):<18}  {value:.4f}")


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
