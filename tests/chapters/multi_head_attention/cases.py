"""Answers to the exercises on heads and masks, right ones and wrong ones."""

import torch
import torch.nn.functional as F

from transformer.layers import (
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)


def multi_head(cut):
    """The right answer, or one that cuts the features in another way."""

    def answer(x, w_q, w_k, w_v, w_o, num_heads):
        query, key, value = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
        heads = scaled_dot_product_attention(
            query, key, value, need_weights=True
        ).values
        return heads.transpose(0, 1).reshape(len(x), -1) @ w_o

    return answer


def rightly(x, num_heads):
    return x.view(len(x), num_heads, -1).transpose(0, 1)


def wrongly(x, num_heads):
    return x.view(num_heads, len(x), -1)


def without_output(x, w_q, w_k, w_v, w_o, num_heads):
    return scaled_dot_product_attention(
        x @ w_q, x @ w_k, x @ w_v, need_weights=True
    ).values


def causal(time):
    return torch.ones(time, time, dtype=torch.bool).tril()


def real(tokens, pad_id):
    return (tokens != pad_id)[:, None, None]


def padding_alone(tokens, pad_id):
    return real(tokens, pad_id).expand(-1, -1, tokens.size(1), -1)


def decoder_mask(tokens, pad_id):
    return causal(tokens.size(1)) & real(tokens, pad_id)


def earlier_only(tokens, pad_id):
    mask = torch.ones(1, 1, tokens.size(1), tokens.size(1), dtype=torch.bool)
    return mask.tril(diagonal=-1)


def hard_coded(tokens, pad_id):
    return decoder_mask(tokens, 0)


def every_zero_too(tokens, pad_id):
    return decoder_mask(tokens, pad_id) & decoder_mask(tokens, 0)


def blind_pads(tokens, pad_id):
    return decoder_mask(tokens, pad_id) & (tokens != pad_id)[:, None, :, None]


def by_lengths(tokens, pad_id):
    place = torch.arange(tokens.size(1))
    lengths = (tokens != pad_id).sum(1)[:, None, None, None]
    return (place[:, None] >= place)[None, None] & (place < lengths)


def from_the_first_pad_on(tokens, pad_id):
    real = (tokens == pad_id).cumsum(1) == 0
    return causal(tokens.size(1)) & real[:, None, None]


def blind_start(tokens, pad_id):
    mask = decoder_mask(tokens, pad_id).expand(-1, -1, tokens.size(1), -1).clone()
    mask[(tokens == pad_id).any(1), :, :2] = False
    return mask


def blind_only_at_the_ends(tokens, pad_id):
    """Takes padding between two words for a word."""
    real = tokens != pad_id
    begun, goes_on = real.cumsum(1) > 0, real.flip(1).cumsum(1).flip(1) > 0
    return causal(tokens.size(1)) & (begun & goes_on)[:, None, None]


def only_earlier_sentences(tokens, pad_id):
    return decoder_mask(tokens, pad_id)[:1].expand(len(tokens), -1, -1, -1)


def pads_see_themselves(tokens, pad_id):
    itself = torch.eye(tokens.size(1), dtype=torch.bool)
    return decoder_mask(tokens, pad_id) | itself


def decoder_mask_by_loops(tokens, pad_id):
    time = range(tokens.size(1))
    rows = [
        [[[s <= t and row[s] != pad_id for s in time] for t in time]]
        for row in tokens.tolist()
    ]
    return torch.tensor(rows)


def in_a_loop(x, w_q, w_k, w_v, w_o, num_heads):
    """The right numbers, head by head."""
    blocks = range(0, x.size(1), x.size(1) // num_heads)
    cuts = [slice(start, start + x.size(1) // num_heads) for start in blocks]
    heads = [
        scaled_dot_product_attention(
            x @ w_q[:, c], x @ w_k[:, c], x @ w_v[:, c], need_weights=True
        )
        for c in cuts
    ]
    return torch.cat([head.values for head in heads], dim=-1) @ w_o


def written_out(scale=lambda d_model, num_heads: d_model // num_heads, back=(0, 1)):
    """The right answer with its own attention, or one that differs in a part."""

    def answer(x, w_q, w_k, w_v, w_o, num_heads):
        query, key, value = (rightly(x @ w, num_heads) for w in (w_q, w_k, w_v))
        scores = query @ key.mT / scale(x.size(1), num_heads) ** 0.5
        heads = scores.softmax(dim=-1) @ value
        return heads.transpose(*back).reshape(x.shape) @ w_o

    return answer


def every_third_feature(x, num_heads):
    return x.unflatten(1, (-1, num_heads)).movedim(2, 0)


def three_heads(x, num_heads):
    """Right for one head and for three."""
    return rightly(x, 1 if num_heads == 1 else 3)


def exchanged(x, w_q, w_k, w_v, w_o, num_heads):
    return multi_head(rightly)(x, w_k, w_q, w_v, w_o, num_heads)


def without_the_last_matrix(x, w_q, w_k, w_v, w_o, num_heads):
    return multi_head(rightly)(x, w_q, w_k, w_v, torch.eye(len(w_o)), num_heads)


def in_pytorch(x, w_q, w_k, w_v, w_o, num_heads):
    """The right answer, with the function of PyTorch."""
    split = (rightly(x @ w, num_heads) for w in (w_q, w_k, w_v))
    heads = F.scaled_dot_product_attention(*split)
    return heads.transpose(0, 1).flatten(1) @ w_o


def mask_of_the_package(tokens, pad_id):
    """The right mask, from the two functions that the text forbids."""
    return causal_mask(tokens.size(1)) & padding_mask(tokens, pad_id)


def of_five_tokens(tokens, pad_id):
    """The length of the texts is never read."""
    return causal(5) & real(tokens, pad_id)


def induction(key, factor=20.0, mask=causal):
    """An induction head with keys of some kind."""

    def answer(one_hot):
        scores = factor * one_hot @ key(one_hot).T
        scores = scores.masked_fill(~mask(len(one_hot)), -torch.inf)
        return scores.softmax(dim=-1)

    return answer


def word_before(one_hot):
    return torch.cat([torch.zeros_like(one_hot[:1]), one_hot[:-1]])


def word_before_in_a_circle(one_hot):
    """The key of the first word is the last word."""
    return one_hot.roll(1, dims=0)


def word_after(one_hot):
    return torch.cat([one_hot[1:], torch.zeros_like(one_hot[:1])])


def earlier_words_only(n):
    """Hides the word itself, but for the first, which has no other."""
    mask = torch.ones(n, n, dtype=torch.bool).tril(-1)
    mask[0, 0] = True
    return mask


def no_mask(n):
    return torch.ones(n, n, dtype=torch.bool)


def half_a_text_back(one_hot):
    """Right where a text comes twice, as in the chapter."""
    n = len(one_hot)
    place = torch.arange(n)
    target = (place - n // 2 + 1).clamp(min=0)
    return torch.eye(n)[torch.where(place >= n // 2, target, place)]


def by_search(one_hot, chosen=slice(None)):
    """The right weights, found by comparing words, or by some of the copies."""
    words = one_hot.argmax(dim=1).tolist()
    weights = torch.eye(len(words))
    for t, word in enumerate(words):
        found = [s for s in range(1, t + 1) if words[s - 1] == word][chosen]
        if found:
            weights[t] = 0
            weights[t, found] = 1 / len(found)
    return weights


def last_copy(one_hot):
    return by_search(one_hot, slice(-1, None))


def first_copy(one_hot):
    return by_search(one_hot, slice(1))


def zero_where_new(one_hot):
    scores = (one_hot @ word_before(one_hot).T).tril()
    return scores / scores.sum(dim=1, keepdim=True).clamp(min=1)


def as_lists(one_hot):
    return by_search(one_hot).tolist()


def as_numpy(one_hot):
    return induction(word_before)(one_hot).numpy()


RIGHT = [
    ("ex-mha-induction", (induction(word_before),)),
    ("ex-mha-induction", (by_search,)),
    ("ex-mha-induction", (as_lists,)),
    ("ex-mha-induction", (as_numpy,)),
    ("ex-mha-by-hand", (3.5, 3, (9.5, 3))),
    ("ex-mha-code", (multi_head(rightly),)),
    ("ex-mha-code", (written_out(),)),
    ("ex-mha-code", (in_pytorch,)),
    ("ex-mha-code", (lambda x, q, k, v, o, h: written_out()(x, q, k, v, o, h),)),
    ("ex-mha-decoder-mask", (decoder_mask,)),
    ("ex-mha-decoder-mask", (decoder_mask_by_loops,)),
    ("ex-mha-decoder-mask", (lambda t, p: decoder_mask(t, p).numpy(),)),
    ("ex-mha-which-mask", (False, True, True, False)),
    (
        "ex-mha-decoder-mask",
        ([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]],),
    ),
    (
        "ex-mha-decoder-mask",
        (
            torch.tensor(
                [[[[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]]]
            ).bool(),
        ),
    ),
    (
        "ex-mha-decoder-mask",
        ([["0", "0.0", "0", "0"], [0, 1, 0, 0], [0, "1", 1, 0], [0, 1, 1, 0]],),
    ),
]

WRONG = [
    ("ex-mha-induction", (lambda x: x,), "square"),
    ("ex-mha-induction", (zero_where_new,), "sum to one"),
    ("ex-mha-induction", (induction(word_before, mask=no_mask),), "later one"),
    ("ex-mha-induction", (induction(lambda x: x),), "after its first copy"),
    ("ex-mha-induction", (induction(word_after),), "after its first copy"),
    ("ex-mha-induction", (lambda x: torch.eye(len(x)),), "after its first copy"),
    ("ex-mha-induction", (induction(word_before, factor=4.0),), "large enough"),
    ("ex-mha-induction", (induction(word_before_in_a_circle),), "the first word"),
    ("ex-mha-induction", (half_a_text_back,), "any distance"),
    ("ex-mha-induction", (last_copy,), "share the weight"),
    ("ex-mha-induction", (first_copy,), "share the weight"),
    (
        "ex-mha-induction",
        (induction(word_before, mask=earlier_words_only),),
        "follows itself",
    ),
    ("ex-mha-by-hand", (3, 3, (9.5, 3)), "first head"),
    ("ex-mha-by-hand", (3.5, 2, (9.5, 3)), "second head"),
    ("ex-mha-by-hand", (3.5, 3, (9.5,)), "two features"),
    ("ex-mha-by-hand", (3.5, 3, (3.5, 3)), "own row"),
    ("ex-mha-by-hand", (2.5, 3, (9.5, 3)), "first head"),
    ("ex-mha-by-hand", (14, 3, (9.5, 3)), "first head"),
    ("ex-mha-by-hand", (3.5, 6, (9.5, 3)), "second head"),
    ("ex-mha-by-hand", (3.5, 3, (3.5, 6)), "own row"),
    ("ex-mha-by-hand", (3.5, 3, (10.0, 3.5)), "own row"),
    ("ex-mha-by-hand", (3.5, 3, (3, 9.5)), "own row"),
    ("ex-mha-by-hand", (3.5, 3, (9.5, 6.5)), "own row"),
    ("ex-mha-code", (lambda x, *_: x[0],), "shape"),
    ("ex-mha-code", (without_output,), "one head"),
    ("ex-mha-code", (multi_head(wrongly),), "a block of features"),
    ("ex-mha-code", (in_a_loop,), "without a loop"),
    (
        "ex-mha-code",
        (written_out(scale=lambda d_model, num_heads: d_model),),
        "three heads",
    ),
    (
        "ex-mha-code",
        (written_out(scale=lambda d_model, num_heads: num_heads),),
        "one head",
    ),
    ("ex-mha-code", (written_out(back=(0, 0)),), "three heads"),
    ("ex-mha-code", (written_out(back=(1, 2)),), "one head"),
    ("ex-mha-code", (multi_head(every_third_feature),), "three heads"),
    ("ex-mha-code", (multi_head(three_heads),), "three heads"),
    ("ex-mha-code", (written_out(scale=lambda d, heads: 12 // heads),), "of any size"),
    ("ex-mha-code", (exchanged,), "one head"),
    ("ex-mha-code", (without_the_last_matrix,), "one head"),
    ("ex-mha-decoder-mask", (lambda t, p: torch.ones(5, 5),), "Boolean"),
    ("ex-mha-decoder-mask", (lambda t, p: causal(5),), "four axes"),
    ("ex-mha-decoder-mask", (padding_alone,), "later one"),
    ("ex-mha-decoder-mask", (earlier_only,), "see itself"),
    (
        "ex-mha-decoder-mask",
        (lambda t, p: causal(t.size(1))[None, None],),
        "see padding",
    ),
    ("ex-mha-decoder-mask", (hard_coded,), "whatever number"),
    ("ex-mha-decoder-mask", (every_zero_too,), "whatever number"),
    ("ex-mha-decoder-mask", (blind_pads,), "a row without keys"),
    ("ex-mha-decoder-mask", (by_lengths,), "on the left"),
    ("ex-mha-decoder-mask", (from_the_first_pad_on,), "on the left"),
    ("ex-mha-decoder-mask", (blind_only_at_the_ends,), "between two words"),
    ("ex-mha-decoder-mask", (blind_start,), "see itself"),
    ("ex-mha-decoder-mask", (only_earlier_sentences,), "see itself"),
    ("ex-mha-decoder-mask", (pads_see_themselves,), "see padding"),
    ("ex-mha-decoder-mask", (mask_of_the_package,), "functions of the package"),
    ("ex-mha-decoder-mask", (of_five_tokens,), "four axes"),
    ("ex-mha-which-mask", (False, True, True), "four times"),
    ("ex-mha-which-mask", (True, True, True, False), "words after it"),
    ("ex-mha-which-mask", (False, False, True, False), "hides the padding"),
    ("ex-mha-which-mask", ("False", "False", "True", "False"), "hides the padding"),
    ("ex-mha-which-mask", (False, True, True, True), "last real one"),
    ("ex-mha-which-mask", (True, True, True, True), "words after it"),
    ("ex-mha-which-mask", (False, True, False, False), "hides the padding"),
    ("ex-mha-which-mask", (False, False, False, False), "hides the padding"),
    ("ex-mha-decoder-mask", (torch.ones(4, 4).tril(),), "not even it itself"),
    (
        "ex-mha-decoder-mask",
        ([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]],),
        "not even it itself",
    ),
    (
        "ex-mha-decoder-mask",
        ([[0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0]],),
        "sees a later one",
    ),
    (
        "ex-mha-decoder-mask",
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1]],),
        "not even it itself",
    ),
    (
        "ex-mha-decoder-mask",
        ([[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0]],),
        "itself and the words",
    ),
    (
        "ex-mha-decoder-mask",
        ([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]],),
        "may look at the words",
    ),
    (
        "ex-mha-decoder-mask",
        ([[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]],),
        "sees a later one",
    ),
    ("ex-mha-decoder-mask", ([0, 1, 1, 0],), "four rows of four"),
]
