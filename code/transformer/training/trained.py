"""What `train` has saved on the command line, as a model and its tokenizer."""

from pathlib import Path

from transformer.data import Tokenizer, tokenizer_from_dict
from transformer.files import read_json
from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.training.checkpoints import CheckpointError, list_checkpoints
from transformer.training.state import load_model

TOKENIZER = "tokenizer.json"
CHECKPOINTS = "checkpoints"


def load_training(
    folder: str | Path,
) -> tuple[Transformer | DecoderOnlyTransformer, Tokenizer]:
    """Return the newest model of a training, and the tokenizer that it learned with.

    The model is in evaluation mode, on the CPU. A model by itself is loaded from what
    `save_model` has written, by `models.load_model`, or from one checkpoint, by
    `training.load_model`.

    Args:
        folder: Where `python -m transformer train` has saved, such as `runs/numbers`.

    Raises:
        CheckpointError: If there is no checkpoint, it or the tokenizer cannot be read,
            or they do not belong together.
    """
    folder = Path(folder)
    checkpoints = list_checkpoints(folder / CHECKPOINTS)
    if not checkpoints:
        raise CheckpointError(
            f"{folder} must be the folder of a training, got none with checkpoints; "
            "pass the one that `python -m transformer train` has named."
        )
    tokenizer, model = read_tokenizer(folder), load_model(checkpoints[-1])
    if not isinstance(model, Transformer | DecoderOnlyTransformer) or (
        model.config.vocab_size != tokenizer.vocab_size
    ):
        raise CheckpointError(
            f"{checkpoints[-1]} must hold a Transformer for {tokenizer.vocab_size} "
            f"tokens, got a {type(model).__name__} for {model.config.vocab_size}; it "
            "belongs to another training."
        )
    return model, tokenizer


def read_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of a training.

    Raises:
        CheckpointError: If it cannot be read.
    """
    path = folder / TOKENIZER
    try:
        return tokenizer_from_dict(read_json(path))
    except (OSError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} must hold the tokenizer of the training, but cannot be read "
            f"({error}); train again."
        ) from error
