"""Answers to the exercises on tokens and embeddings, right ones and wrong ones."""

import torch
import torch.nn.functional as F


def embedding_gradient(ids, upstream, vocab_size):
    one_hot = torch.nn.functional.one_hot(ids, vocab_size).to(upstream.dtype)
    return one_hot.T @ upstream


def last_one_wins(ids, upstream, vocab_size):
    gradient = upstream.new_zeros(vocab_size, upstream.size(1))
    for id, row in zip(ids, upstream, strict=True):
        gradient[id] = row
    return gradient


def spread_out(ids, upstream, vocab_size):
    return embedding_gradient(ids, upstream, vocab_size) + 1


def doubled(ids, upstream, vocab_size):
    return 2 * embedding_gradient(ids, upstream, vocab_size)


def pad_and_mask(sequences, pad_id):
    longest = max(map(len, sequences))
    gaps = [longest - len(ids) for ids in sequences]
    pairs = list(zip(sequences, gaps, strict=True))
    padded = [[*ids, *[pad_id] * gap] for ids, gap in pairs]
    real = [[True] * len(ids) + [False] * gap for ids, gap in pairs]
    return torch.tensor(padded), torch.tensor(real)


def mask_from_ids(sequences, pad_id):
    padded, _ = pad_and_mask(sequences, pad_id)
    return padded, padded != pad_id


def real_if_longest(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded, (padded != pad_id) | real.all(dim=1, keepdim=True)


def real_up_to_the_last_word(sequences, pad_id):
    padded, _ = pad_and_mask(sequences, pad_id)
    after = (padded != pad_id).flip(1).cumsum(1).flip(1) > 0
    return padded, after


def one_pad_is_an_end(sequences, pad_id):
    padded, _ = pad_and_mask(sequences, pad_id)
    first = (padded == pad_id).cumsum(1) <= 1
    return padded, (padded != pad_id) | first


def real_if_not_alone(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded, real & (padded != pad_id).any(dim=1, keepdim=True)


def real_in_the_middle(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded, real & ((padded != pad_id) | real.roll(-1, 1))


def in_front(sequences, pad_id):
    flipped, real = pad_and_mask([ids[::-1] for ids in sequences], pad_id)
    return flipped.flip(1), real.flip(1)


def upside_down(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded, ~real


def mask_of_numbers(kind):
    """The right answer, but for a mask of zeros and ones."""

    def answer(sequences, pad_id):
        padded, real = pad_and_mask(sequences, pad_id)
        return padded, real.to(kind)

    return answer


def mask_of_zeros_and_ones(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded.tolist(), real.long().tolist()


def ids_as_floats(sequences, pad_id):
    padded, real = pad_and_mask(sequences, pad_id)
    return padded.float(), real


def into_zeros(sequences, pad_id):
    """Writes the ids into a tensor that holds floats."""
    padded = torch.full((len(sequences), max(map(len, sequences))), float(pad_id))
    for row, ids in zip(padded, sequences, strict=True):
        row[: len(ids)] = torch.tensor(ids)
    return padded, pad_and_mask(sequences, pad_id)[1]


def one_row(sequences, pad_id):
    return torch.tensor([id for ids in sequences for id in ids]), None


def averaged(ids, upstream, vocab_size):
    counts = torch.bincount(ids, minlength=vocab_size).clamp(min=1)
    return embedding_gradient(ids, upstream, vocab_size) / counts[:, None]


def first_one_wins(ids, upstream, vocab_size):
    return last_one_wins(ids.flip(0), upstream.flip(0), vocab_size)


def added_where_they_differ(ids, upstream, vocab_size):
    """Adds with an index, which keeps one of those that share a row."""
    gradient = upstream.new_zeros(vocab_size, upstream.size(1))
    gradient[ids] += upstream
    return gradient


def without_padding(ids, upstream, vocab_size):
    """Takes id 0 for padding."""
    gradient = embedding_gradient(ids, upstream, vocab_size)
    gradient[0] = 0
    return gradient


def of_three_features(ids, upstream, vocab_size):
    gradient = upstream.new_zeros(vocab_size, 3)
    return gradient.index_add_(0, ids, upstream[:, :3])


def at_most_twice(ids, upstream, vocab_size):
    gradient, seen = upstream.new_zeros(vocab_size, upstream.size(1)), []
    for id, row in zip(ids.tolist(), upstream, strict=True):
        if seen.count(id) < 2:
            gradient[id] += row
        seen.append(id)
    return gradient


def at_most_three_times(ids, upstream, vocab_size):
    earlier = (ids[:, None] == ids).tril(-1).sum(dim=1)
    kept = earlier < 3
    return embedding_gradient(ids[kept], upstream[kept], vocab_size)


def summed_over_all(ids, upstream, vocab_size):
    """Each row that is named gets the sum of all positions."""
    named = torch.bincount(ids, minlength=vocab_size) > 0
    return named[:, None] * upstream.sum(dim=0)


def extended(sequences, pad_id):
    """The right answer, which pads the lists that it is given."""
    real = [[True] * len(ids) for ids in sequences]
    longest = max(map(len, sequences))
    for ids, row in zip(sequences, real, strict=True):
        row.extend([False] * (longest - len(ids)))
        ids.extend([pad_id] * (longest - len(ids)))
    return torch.tensor(sequences), torch.tensor(real)


def cosines_of(rows):
    return F.cosine_similarity(rows[:, None], rows[None], dim=-1)


def odd_one_out(rows):
    unit = F.normalize(rows, dim=1)
    return (unit @ unit.sum(dim=0)).argmin()


def without_itself(rows):
    cosines = cosines_of(rows).fill_diagonal_(0)
    return (cosines.sum(dim=1) / (len(rows) - 1)).argmin().item()


def by_dot_products(rows):
    return (rows @ rows.T).mean(dim=1).argmin().item()


def the_most_alike(rows):
    return cosines_of(rows).mean(dim=1).argmax().item()


def farthest_from_the_mean(rows):
    return (rows - rows.mean(dim=0)).norm(dim=1).argmax().item()


def unlike_the_plain_mean(rows):
    return F.cosine_similarity(rows, rows.mean(dim=0), dim=1).argmin().item()


def unlike_the_first(rows):
    return F.cosine_similarity(rows, rows[0], dim=1).argmin().item()


def unlike_the_next(rows):
    return F.cosine_similarity(rows, rows.roll(1, 0), dim=1).argmin().item()


def of_the_worst_pair(rows):
    return cosines_of(rows).amin(dim=1).argmin().item()


def whatever_the_sign(rows):
    return cosines_of(rows).abs().mean(dim=1).argmin().item()


def farthest_on_the_sphere(rows):
    """The mean of the distances, which is not ordered as that of the cosines."""
    unit = F.normalize(rows, dim=1)
    return torch.cdist(unit, unit).mean(dim=1).argmax().item()


def unit_columns(rows):
    unit = F.normalize(rows, dim=0)
    return (unit @ unit.T).mean(dim=1).argmin().item()


RIGHT = [
    ("ex-embeddings-by-hand", ("lo", "lot", 3, 3)),
    ("ex-embeddings-gradient-code", (embedding_gradient,)),
    ("ex-embeddings-pad-code", (pad_and_mask,)),
    (
        "ex-embeddings-pad-code",
        (lambda ids, pad_id: tuple(t.numpy() for t in pad_and_mask(ids, pad_id)),),
    ),
    ("ex-embeddings-pad-code", (extended,)),
    ("ex-embeddings-think", ("shrinks", "stays", "stays", "grows")),
    ("ex-embeddings-odd-one-out", (odd_one_out,)),
    ("ex-embeddings-odd-one-out", (without_itself,)),
    ("ex-embeddings-odd-one-out", (lambda rows: odd_one_out(rows).numpy(),)),
    ("ex-embeddings-gradient-code", ([[0, 3], [0, 0], [5, 5]],)),
    (
        "ex-embeddings-gradient-code",
        (torch.tensor([[0.0, 3.0], [0.0, 0.0], [5.0, 5.0]]),),
    ),
    ("ex-embeddings-gradient-code", ([["0", "3"], [0, 0], ["5.", "4 + 1"]],)),
]

WRONG = [
    ("ex-embeddings-by-hand", ("ot", "lot", 3, 3), "most often"),
    ("ex-embeddings-by-hand", ("lo", "ot", 3, 3), "count the pairs again"),
    ("ex-embeddings-by-hand", ("lo", "lot", 5, 3), "'slots'"),
    ("ex-embeddings-by-hand", ("lo", "lot", 3, 4), "'lost'"),
    ("ex-embeddings-by-hand", ("l", "lot", 3, 3), "most often"),
    ("ex-embeddings-by-hand", ("st", "lot", 3, 3), "most often"),
    ("ex-embeddings-by-hand", ("lo", "slo", 3, 3), "count the pairs again"),
    ("ex-embeddings-by-hand", ("lo", "ts", 3, 3), "count the pairs again"),
    ("ex-embeddings-by-hand", ("lo", "lot", 2, 3), "'slots'"),
    ("ex-embeddings-by-hand", ("lo", "lot", 4, 3), "'slots'"),
    ("ex-embeddings-by-hand", ("lo", "lot", 3, 2), "'lost'"),
    ("ex-embeddings-gradient-code", (lambda ids, up, size: up,), "row for each"),
    ("ex-embeddings-gradient-code", (spread_out,), "must be zero"),
    ("ex-embeddings-gradient-code", (doubled,), "all ids differ"),
    ("ex-embeddings-gradient-code", (last_one_wins,), "add up"),
    ("ex-embeddings-gradient-code", (averaged,), "add up"),
    ("ex-embeddings-gradient-code", (first_one_wins,), "add up"),
    ("ex-embeddings-gradient-code", (added_where_they_differ,), "add up"),
    ("ex-embeddings-gradient-code", (without_padding,), "all ids differ"),
    ("ex-embeddings-gradient-code", (of_three_features,), "row for each"),
    ("ex-embeddings-gradient-code", (at_most_twice,), "add up"),
    ("ex-embeddings-gradient-code", (at_most_three_times,), "add up"),
    ("ex-embeddings-gradient-code", (summed_over_all,), "all ids differ"),
    ("ex-embeddings-pad-code", (one_row,), "one matrix"),
    ("ex-embeddings-pad-code", (ids_as_floats,), "whole numbers"),
    ("ex-embeddings-pad-code", (into_zeros,), "whole numbers"),
    ("ex-embeddings-pad-code", (in_front,), "follow"),
    ("ex-embeddings-pad-code", (mask_of_numbers(torch.long),), "Boolean"),
    ("ex-embeddings-pad-code", (mask_of_numbers(torch.float64),), "Boolean"),
    ("ex-embeddings-pad-code", (mask_of_zeros_and_ones,), "Boolean"),
    ("ex-embeddings-pad-code", (upside_down,), "True where"),
    ("ex-embeddings-pad-code", (mask_from_ids,), "stay real"),
    ("ex-embeddings-pad-code", (real_if_longest,), "stay real"),
    ("ex-embeddings-pad-code", (real_up_to_the_last_word,), "stay real"),
    ("ex-embeddings-pad-code", (one_pad_is_an_end,), "True where"),
    ("ex-embeddings-pad-code", (real_if_not_alone,), "stay real"),
    ("ex-embeddings-pad-code", (real_in_the_middle,), "stay real"),
    ("ex-embeddings-think", ("no", "stays", "stays", "grows"), "answer with"),
    ("ex-embeddings-think", ("stays", "stays", "stays", "grows"), "drawn with"),
    ("ex-embeddings-think", ("shrinks", "grows", "stays", "grows"), "on its way in"),
    ("ex-embeddings-think", ("shrinks", "stays", "grows", "grows"), "sum of d"),
    ("ex-embeddings-think", ("shrinks", "stays", "stays", "stays"), "rate of Adam"),
    ("ex-embeddings-think", ("shrinks", "grows", "grows", "stays"), "on its way in"),
    ("ex-embeddings-think", ("shrinks", "stays", "stays", "shrinks"), "rate of Adam"),
    ("ex-embeddings-odd-one-out", (lambda rows: 7,), "place of one row"),
    ("ex-embeddings-odd-one-out", (lambda rows: 0,), "wherever"),
    ("ex-embeddings-odd-one-out", (the_most_alike,), "wherever"),
    ("ex-embeddings-odd-one-out", (unlike_the_first,), "wherever"),
    ("ex-embeddings-odd-one-out", (unlike_the_next,), "wherever"),
    ("ex-embeddings-odd-one-out", (by_dot_products,), "only directions"),
    ("ex-embeddings-odd-one-out", (farthest_from_the_mean,), "only directions"),
    ("ex-embeddings-odd-one-out", (unit_columns,), "only directions"),
    ("ex-embeddings-odd-one-out", (unlike_the_plain_mean,), "only directions"),
    ("ex-embeddings-odd-one-out", (of_the_worst_pair,), "wherever"),
    ("ex-embeddings-odd-one-out", (whatever_the_sign,), "all the others"),
    ("ex-embeddings-odd-one-out", (farthest_on_the_sphere,), "all the others"),
    (
        "ex-embeddings-gradient-code",
        ([[0, 3], [0, 0], [4, 5]],),
        "pull at the same row",
    ),
    (
        "ex-embeddings-gradient-code",
        ([[0, 3], [0, 0], [2.5, 2.5]],),
        "pull at the same row",
    ),
    (
        "ex-embeddings-gradient-code",
        ([[0, 3], [0, 0], [1, 0]],),
        "pull at the same row",
    ),
    ("ex-embeddings-gradient-code", ([[1, 0], [0, 3], [4, 5]],), "never read"),
    ("ex-embeddings-gradient-code", ([[0, 0], [0, 3], [5, 5]],), "never read"),
    ("ex-embeddings-gradient-code", ([[1, 0], [0, 0], [4, 8]],), "read once"),
    ("ex-embeddings-gradient-code", ([[5, 5], [0, 0], [0, 3]],), "read once"),
    ("ex-embeddings-gradient-code", ([[0, 3], [5, 5]],), "a row for each"),
]
