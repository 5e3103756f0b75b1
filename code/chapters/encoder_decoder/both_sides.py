"""One word whose meaning comes later, read by an encoder and by a decoder."""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from chapters.laboratory.published import minilm_model, read_minilm
from chapters.laboratory.real_model import streams_of

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
def vector_of(
    model: nn.Module, tokenizer: object, text: str, word: str
) -> Float[Tensor, " d_model"]:
    """Return the vector of the last place of a word, halfway up the stack.

    Args:
        model: An encoder or a decoder.
        tokenizer: Its tokenizer.
        text: What it reads.
        word: A word of the text that is one token.
    """
    found = tokenizer.encode(text)
    ids = getattr(found, "ids", found)
    place = max(n for n, id in enumerate(ids) if tokenizer.decode([id]).strip() == word)
    if not hasattr(model, "encoder"):  # what is above need not be computed
        halfway = len(model.decoder.layers) // 2
        stream = streams_of(model, torch.tensor([ids]), depth=halfway)[-1]
        return stream[0, place].double()
    layers, heard = model.encoder.layers, []
    halfway = layers[len(layers) // 2 - 1]
    hook = halfway.register_forward_hook(lambda *call: heard.append(call[-1]))
    try:
        model(torch.tensor([ids]))
    finally:
        hook.remove()
    return heard[0][0, place].double()


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
    rows = torch.stack(
        [
            vector_of(model, tokenizer, before.format(text=sentence), word)
            for sentence in sentences
        ]
    )
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


def table(found: Mapping[str, Float[Tensor, "sentences sentences"]]) -> str:
    """Write down the mean distances of vectors, a line for each way of reading."""
    lines = [f"{'distance of two':28s}  same meaning  other meaning"]
    for name, matrix in found.items():
        same, other = within_and_across(matrix)
        lines.append(f"{name:28s}  {same:12.2f}  {other:13.2f}")
    return "\n".join(lines)
