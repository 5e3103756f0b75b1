"""`evaluate`: what a trained model is worth on texts that it has not seen."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from transformer.commands.inference import ROWS, translate
from transformer.commands.metrics import bleu, exact_match
from transformer.data import Pair, Tokenizer, encode_pairs, sorted_batches
from transformer.models import Transformer
from transformer.training import LabelSmoothingLoss, evaluate


def scores(
    model: Transformer,
    tokenizer: Tokenizer,
    pairs: Sequence[Pair],
    *,
    beam_width: int = 1,
    progress: Callable[[int], object] = lambda texts: None,
) -> dict[str, float]:
    """Return how well a model translates pairs, by four measures.

    Args:
        model: A trained model.
        tokenizer: The one that it was trained with.
        pairs: Texts and their translations.
        beam_width: Number of hypotheses of the beam search; 1 for greedy decoding.
        progress: Called after each batch with the number of texts translated.

    Returns:
        `exact_match`, the share of translations that are equal to the reference;
        `token_accuracy`, the share of tokens that are most likely given the true ones
        before; `perplexity`, the exponential of their mean cross-entropy; `bleu`, if
        `sacrebleu` is installed.

    Raises:
        TextError: If a text cannot be read.
    """
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    options = {"beam_width": beam_width, "progress": progress}
    translations = translate(model, tokenizer, sources, **options)
    teacher_forced = evaluate(
        model,
        sorted_batches(encode_pairs(pairs, tokenizer), batch_size=ROWS),
        loss=LabelSmoothingLoss(smoothing=0.0),
    )
    found = {
        "exact_match": exact_match(translations, references),
        "token_accuracy": teacher_forced.token_accuracy,
        "perplexity": teacher_forced.perplexity,
    }
    with suppress(ImportError):
        found["bleu"] = bleu(translations, references)
    return found
