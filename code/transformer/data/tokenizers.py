"""The kinds of tokenizers by name, and how to read one that was saved."""

from typing import Any

from transformer.checks.values import check_choice, check_kind
from transformer.data.subwords import SubwordTokenizer
from transformer.data.tokenizer import Tokenizer
from transformer.data.vocabularies import CharacterTokenizer, WordTokenizer

TOKENIZERS: dict[str, type[Tokenizer]] = {
    kind.kind: kind for kind in (CharacterTokenizer, WordTokenizer, SubwordTokenizer)
}


def tokenizer_from_dict(description: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer that its `to_dict` described.

    Args:
        description: What `to_dict` returned, also after a way through JSON.

    Raises:
        ImportError: If the kind needs a package that is missing.
        TypeError: If the description is no dictionary.
        ValueError: If the kind is not known, or the description was cut, changed or
            contradicts itself.
    """
    check_kind("description", description, dict)
    check_choice("kind", description.get("kind"), TOKENIZERS)
    return TOKENIZERS[description["kind"]].from_dict(description)
