"""What a head asks, what it answers, and what it writes: its QK and its OV map.

A head is named by its layer and its number there, both from 1. The texts are random
words, written twice, so that each word is read once without and once with a copy.
"""

from collections.abc import Mapping
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.inside.reading import Reading

Head = tuple[int, int]
Rows = Float[Tensor, "words d_model"]


def once(reading: Reading, depth: int) -> Rows:
    """Return the vectors of all words as they are read for the first time."""
    half = reading.streams.size(2) // 2
    return reading.streams[depth][:, :half].flatten(end_dim=1)


def again(reading: Reading, depth: int) -> Rows:
    """Return the vectors of all words as they are read for the second time."""
    half = reading.streams.size(2) // 2
    return reading.streams[depth][:, half:].flatten(end_dim=1)


def seen_by(model: nn.Module, layer: int, stream: Rows) -> Rows:
    """Return what the heads of a layer make of a stream first: its norm."""
    return model.decoder.layers[layer - 1].self_attention_residual.norm(stream)


def rows_of(model: nn.Module, head: Head, name: str) -> Tensor:
    """Return the rows of a projection that belong to a head, shared or its own."""
    attention = model.decoder.layers[head[0] - 1].self_attention
    weight = getattr(attention, f"{name}_projection").weight
    d_head = attention.query_projection.out_features // attention.num_heads
    kept = weight.size(0) // d_head  # fewer than heads, if heads share keys
    index = (head[1] - 1) * kept // attention.num_heads
    return weight.unflatten(0, (kept, d_head))[index]


def root_of_width(model: nn.Module, head: Head) -> float:
    """Return the root of the number of features of a key."""
    return rows_of(model, head, "key").size(0) ** 0.5


@torch.no_grad()
def message(model: nn.Module, head: Head, seen: Rows) -> Rows:
    """Return what a head would write if it looked at each vector alone: the OV map."""
    attention = model.decoder.layers[head[0] - 1].self_attention
    values = seen @ rows_of(model, head, "value").T
    output = attention.output_projection.weight.unflatten(1, (attention.num_heads, -1))
    return values @ output[:, head[1] - 1].T


@torch.no_grad()
def turned(model: nn.Module, head: Head, name: str, seen: Rows, place: int) -> Tensor:
    """Return queries or keys of a head, turned as they are at a place.

    Args:
        model: A decoder-only language model with rotary embeddings.
        head: The head.
        name: "query" or "key".
        seen: What the head reads, after the norm.
        place: The place, the same for all rows.
    """
    rotary = model.decoder.layers[head[0] - 1].self_attention.rotary
    vectors = seen @ rows_of(model, head, name).T
    return rotary(vectors[None, None], torch.full((len(seen),), place))[0, 0]


def gain(model: nn.Module, layer: int, stream: Rows, part: Rows) -> Rows:
    """Return a part of a stream as the norm of a layer lets it through."""
    norm = model.decoder.layers[layer - 1].self_attention_residual.norm
    return part * norm.weight / stream.square().mean().sqrt()


@torch.no_grad()
def asked_of_messages(
    model: nn.Module, reading: Reading, reader: Head, writer: Head, *, back: int = 24
) -> Float[Tensor, "words words"]:
    """Return the scores between words that a head reads and messages about words.

    Args:
        model: A decoder-only language model with rotary embeddings.
        reading: What it computed for words that come twice.
        reader: The head that asks, at a word read for the second time.
        writer: The head of a lower layer whose message is all that the key holds.
        back: How far back the key is.

    Returns:
        A row for each word that is read, a column for the word of each message.
    """
    below = reader[0] - 1
    asking = seen_by(model, reader[0], again(reading, below))  # x_t
    about = seen_by(model, writer[0], once(reading, writer[0] - 1))  # x_s
    told = message(model, writer, about)  # m(x_s)
    told = gain(model, reader[0], once(reading, below), told)
    asks = turned(model, reader, "query", asking, back)
    keys = turned(model, reader, "key", told, 0)
    return asks @ keys.T / root_of_width(model, reader)


@torch.no_grad()
def asked_by_messages(
    model: nn.Module, reading: Reading, reader: Head, writer: Head, *, back: int = 24
) -> Float[Tensor, "words words"]:
    """Return the scores between messages about words and the words themselves.

    Here the message of the writer is all that the query of the reader holds: a row for
    each word that a message is about, a column for each word that is looked at.
    """
    below = reader[0] - 1
    told = message(
        model, writer, seen_by(model, writer[0], once(reading, writer[0] - 1))
    )
    told = gain(model, reader[0], again(reading, below), told)
    asks = turned(model, reader, "query", told, back)
    offers = seen_by(model, reader[0], once(reading, below))
    keys = turned(model, reader, "key", offers, 0)
    return asks @ keys.T / root_of_width(model, reader)


@torch.no_grad()
def score(
    model: nn.Module, reading: Reading, reader: Head, *, asks: int, about: int
) -> float:
    """Return the score of a head between two places of a text."""
    stream = reading.streams[reader[0] - 1, 0]
    seen = seen_by(model, reader[0], stream)
    places = range(len(seen))
    query = turned(model, reader, "query", seen[[asks]], places[asks])
    key = turned(model, reader, "key", seen[[about]], places[about])
    return ((query @ key.T).squeeze() / root_of_width(model, reader)).item()


@torch.no_grad()
def written(
    model: nn.Module, reading: Reading, place: int, *, layers: int
) -> dict[str, Float[Tensor, " d_model"]]:
    """Return what the embedding, the heads and the networks of the lowest layers wrote.

    Args:
        model: A decoder-only language model.
        reading: What it computed for one text.
        place: Into which column.
        layers: How many layers.
    """
    parts = {"embedding": reading.streams[0, 0, place]}
    for layer in range(1, layers + 1):
        part = model.decoder.layers[layer - 1]
        seen = seen_by(model, layer, reading.streams[layer - 1, 0])
        for head in range(1, part.self_attention.num_heads + 1):
            weights = reading.weights[layer - 1, 0, head - 1, place]
            parts[f"{layer}.{head}"] = weights @ message(model, (layer, head), seen)
        hidden = reading.units[layer - 1, 0, place]
        down = part.feed_forward.down_projection
        parts[f"network {layer}"] = hidden @ down.weight.T
    return parts


@torch.no_grad()
def parts_of_lead(
    model: nn.Module, reading: Reading, tokens: tuple[int, int]
) -> dict[str, float]:
    """Return what each writer adds to the lead of one last word over another.

    The lead is the difference of two logits at the end of the text. For the given size
    of the last column it is linear in what was written there.
    """
    layers = len(model.decoder.layers)
    parts = written(model, reading, -1, layers=layers)
    norm = model.decoder.norm
    size = (reading.streams[-1, 0, -1].square().mean() + norm.eps).sqrt()
    first, second = model.head.projection.weight[list(tokens)]
    added = torch.stack(list(parts.values())) * norm.weight / size
    return dict(zip(parts, (added @ (first - second)).tolist(), strict=True))


@torch.no_grad()
def parts_of_score(
    model: nn.Module, reading: Reading, reader: Head, *, asks: int, about: int
) -> dict[str, float]:
    """Return what each writer of the key's stream adds to a score of a head.

    Args:
        model: A decoder-only language model with rotary embeddings and RMSNorm.
        reading: What it computed for one text.
        reader: The head.
        asks: From which place it looks.
        about: At which place.

    Returns:
        For the embedding, and for each head and each network below, its part.
    """
    return _parts(model, reading, reader, {"query": asks, "key": about}, taken="key")


@torch.no_grad()
def parts_of_question(
    model: nn.Module, reading: Reading, reader: Head, *, asks: int, about: int
) -> dict[str, float]:
    """Return what each writer of the query's stream adds to a score of a head.

    It is `parts_of_score` with the sum taken where the head asks.
    """
    return _parts(model, reading, reader, {"query": asks, "key": about}, taken="query")


def _parts(
    model: nn.Module,
    reading: Reading,
    reader: Head,
    places: Mapping[str, int],
    *,
    taken: str,
) -> dict[str, float]:
    """Return what each writer adds to a score, of the query's stream or the key's.

    Args:
        model: The model.
        reading: What it computed for one text.
        reader: The head.
        places: Of the query and of the key.
        taken: Which of the two is taken apart.
    """
    stream = reading.streams[reader[0] - 1, 0]
    names, rows = _let_through(model, reading, reader[0], places[taken])
    whole = "key" if taken == "query" else "query"
    seen = seen_by(model, reader[0], stream[[places[whole]]])
    count = range(len(stream))  # a place may count from the end
    parts = turned(model, reader, taken, rows, count[places[taken]])
    other = turned(model, reader, whole, seen, count[places[whole]])
    scores = parts @ other[0] / root_of_width(model, reader)
    return dict(zip(names, scores.tolist(), strict=True))


@lru_cache(maxsize=32)  # several heads of a layer ask about the same texts
def _let_through(
    model: nn.Module, reading: Reading, layer: int, place: int
) -> tuple[list[str], Rows]:
    """Return who wrote below a layer into a column, and what its norm makes of each."""
    parts = written(model, reading, place, layers=layer - 1)
    norm = model.decoder.layers[layer - 1].self_attention_residual.norm
    stream = reading.streams[layer - 1, 0, place]
    size = (stream.square().mean() + norm.eps).sqrt()
    return list(parts), torch.stack(list(parts.values())) * norm.weight / size


@torch.no_grad()
def raised(
    model: nn.Module, reading: Reading, head: Head, tokens: Tensor
) -> Float[Tensor, "words words"]:
    """Return by how much a head raises the scores of words: a row for each it reads."""
    told = message(model, head, seen_by(model, head[0], once(reading, head[0] - 1)))
    table = model.head.projection.weight[tokens] * model.decoder.norm.weight
    return told @ table.T


def beyond_mean(scores: Float[Tensor, "words words"]) -> Float[Tensor, "words words"]:
    """Take away from each column its mean, what all rows give it alike."""
    return scores - scores.mean(dim=0)


def share_right(scores: Float[Tensor, "words words"]) -> float:
    """Return the share of rows whose largest number stands on the diagonal."""
    best = beyond_mean(scores).argmax(dim=1)
    return (best == torch.arange(len(scores))).double().mean().item()


def mean_weight_back(
    weights: Float[Tensor, "layers texts heads time time"], back: int
) -> Float[Tensor, "layers heads"]:
    """Return how much weight each head gives to one place so far back, in the mean.

    The mean goes over the second half of the texts.
    """
    time = weights.size(-1)
    rows = torch.arange(time // 2, time)
    return weights[..., rows, rows - back].mean(dim=(1, 3))


def strongest(table: Float[Tensor, "layers heads"], count: int) -> list[Head]:
    """Return the heads with the largest numbers, the largest first."""
    order = table.flatten().topk(count).indices.tolist()
    return [(1 + i // table.size(1), 1 + i % table.size(1)) for i in order]


@torch.no_grad()
def read_back(
    model: nn.Module, reading: Reading, head: Head, *, depth: int
) -> tuple[float, float]:
    """Look for messages of a head in the streams of words, by their cosines.

    Args:
        model: A decoder-only language model.
        reading: What it computed for words that come twice.
        head: Whose messages are looked for.
        depth: After which layer.

    Returns:
        The share of words in whose vector, of all messages about words, that about the
        word before is the most alike, and that about the word itself.
    """
    half = reading.streams.size(2) // 2
    told = message(model, head, seen_by(model, head[0], once(reading, head[0] - 1)))
    told = nn.functional.normalize(told - told.mean(dim=0), dim=-1)
    words = once(reading, depth).unflatten(0, (-1, half))[:, 1:].flatten(end_dim=1)
    words = nn.functional.normalize(words - words.mean(dim=0), dim=-1)
    best = (words @ told.T).argmax(dim=1)
    own = torch.arange(len(told)).unflatten(0, (-1, half))[:, 1:].flatten()
    return tuple((best == own - back).double().mean().item() for back in (1, 0))
