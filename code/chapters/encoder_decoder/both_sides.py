"""One word whose meaning comes later, read by an encoder and by a decoder."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity
from torch.nn.utils.rnn import pad_sequence

from chapters.laboratory.published import minilm_model, read_minilm
from chapters.laboratory.real_model import streams_of
from chapters.tables import Table

# How sentences go on that begin with one and the same word.
AFTER = {
    "river": (
        "was covered with reeds and wet mud.",
        "sloped down to the water, where two boats lay.",
        "collapsed when the river rose after the rain.",
        "was full of anglers with their fishing rods.",
    ),
    "money": (
        "raised the interest on our loan.",
        "had refused to cash her check.",
        "lost all the savings of its customers.",
        "opened an account for the new company.",
    ),
}
STRANGER = "The train was late again this morning."


def open_encoder() -> tuple[nn.Module, object] | None:
    """Return MiniLM, a small encoder on the default device, and its tokenizer.

    A reader who can neither find nor fetch its files goes on without it: a sentence
    says what is missing, and None comes back.
    """
    if found := read_minilm():
        tensors, tokenizer = found
        return minilm_model(tensors), tokenizer
    return None


@torch.no_grad()
def vectors_of(
    model: nn.Module, tokenizer: object, texts: Sequence[str], word: str
) -> Float[Tensor, "texts d_model"]:
    """Return the vector of the last place of a word, halfway up the stack.

    A decoder reads the texts together, padded behind, where no token sees what was
    added. An encoder, which would see it, reads each by itself.

    Args:
        model: An encoder or a decoder.
        tokenizer: Its tokenizer.
        texts: What it reads.
        word: A word of each text that is one token.
    """
    rows = [getattr(ids, "ids", ids) for ids in map(tokenizer.encode, texts)]
    places = torch.tensor([last_place(tokenizer, ids, word) for ids in rows])
    if hasattr(model, "encoder"):
        streams = [halfway_up(model, torch.tensor([ids]))[0] for ids in rows]
    else:  # what is above need not be computed
        ids = pad_sequence([torch.tensor(ids) for ids in rows], batch_first=True)
        streams = streams_of(model, ids, depth=len(model.decoder.layers) // 2)[-1]
    found = [stream[place] for stream, place in zip(streams, places, strict=True)]
    return torch.stack(found).double()


def last_place(tokenizer: object, ids: Sequence[int], word: str) -> int:
    """Return where a word stands last among the tokens of a text."""
    words = [tokenizer.decode([id]).strip() for id in ids]
    return max(n for n, found in enumerate(words) if found == word)


def halfway_up(
    model: nn.Module, ids: Int[Tensor, "texts time"]
) -> Float[Tensor, "texts time d_model"]:
    """Return the stream of an encoder after half of its layers."""
    layers, heard = model.encoder.layers, []
    layer = layers[len(layers) // 2 - 1]
    hook = layer.register_forward_hook(lambda *call: heard.append(call[-1]))
    try:
        model(ids)
    finally:
        hook.remove()
    return heard[0]


def distances(
    model: nn.Module, tokenizer: object, word: str, *, before: str = "{text}"
) -> Float[Tensor, "sentences sentences"]:
    """Return how far the vectors of a word lie apart, each sentence with each.

    The distance is 1 minus the cosine: 0 for the same direction. The sentences stand
    in the order of `AFTER`.

    Args:
        model: An encoder or a decoder.
        tokenizer: Its tokenizer.
        word: The second word of all sentences.
        before: What is read: "{text}" once for the sentence, twice to read it twice.
    """
    sentences = (f"The {word} {after}" for part in AFTER.values() for after in part)
    texts = [before.format(text=sentence) for sentence in sentences]
    rows = vectors_of(model, tokenizer, texts, word)
    cosines = cosine_similarity(rows[:, None], rows[None], dim=-1)
    return (1 - cosines).clamp(min=0)


def within_and_across(
    matrix: Float[Tensor, "sentences sentences"],
) -> tuple[float, float]:
    """Return the mean distance of two vectors of one meaning, and of two meanings."""
    kinds = [kind for kind, part in AFTER.items() for _ in part]
    pairs = [(a, b) for a in range(len(kinds)) for b in range(a)]
    same = [matrix[a, b].item() for a, b in pairs if kinds[a] == kinds[b]]
    other = [matrix[a, b].item() for a, b in pairs if kinds[a] != kinds[b]]
    return sum(same) / len(same), sum(other) / len(other)


def table(found: Mapping[str, Float[Tensor, "sentences sentences"]]) -> Table:
    """Write down the mean distances of vectors, a row for each way of reading."""
    rows = ([name, *within_and_across(matrix)] for name, matrix in found.items())
    return Table(["distance of two", "same meaning", "other meaning"], rows)
