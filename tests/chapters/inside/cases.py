"""Answers to the exercises on the inside of a language model, right and wrong ones."""

import torch


def looks_back(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:].mean(dim=1)


def looks_back_by_loop(weights):
    return [
        sum(head[t][t - 1] for t in range(2, len(head))) / (len(head) - 2)
        for head in weights.tolist()
    ]


def looks_back_as_array(weights):
    return looks_back(weights).numpy()


def from_the_second_token(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2).mean(dim=1)


def from_the_fourth_token(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 2:].mean(dim=1)


def at_itself(weights):
    return weights.diagonal(dim1=1, dim2=2)[:, 2:].mean(dim=1)


def at_the_next(weights):
    return weights.diagonal(offset=1, dim1=1, dim2=2)[:, 1:].mean(dim=1)


def without_the_last(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:-1].mean(dim=1)


def summed(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:].sum(dim=1)


def over_all_tokens(weights):
    before = weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:]
    return before.sum(dim=1) / weights.size(1)


def mean_of_heads(weights):
    return looks_back(weights).mean()


def largest(weights):
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:].amax(dim=1)


def five_of_seven(weights):
    """Right for texts of seven tokens."""
    return weights.diagonal(offset=-1, dim1=1, dim2=2)[:, 1:].sum(dim=1) / 5


def asks(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_q) @ (y @ w_v @ w_o @ w_k).T / w_k.shape[1] ** 0.5


def asks_with_one_matrix(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    joined = w_q @ w_k.T @ w_o.T @ w_v.T
    return (x @ joined @ y.T / w_q.shape[1] ** 0.5).numpy()


def asks_by_rows(x, y, first, second):
    table = asks(x, y, first, second)
    return table.tolist()


def without_a_message(x, y, first, second):
    _, (w_q, w_k) = first, second
    return (x @ w_q) @ (y @ w_k).T / w_k.shape[1] ** 0.5


def message_in_the_query(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_v @ w_o @ w_q) @ (y @ w_k).T / w_k.shape[1] ** 0.5


def message_in_both(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_v @ w_o @ w_q) @ (y @ w_v @ w_o @ w_k).T / w_k.shape[1] ** 0.5


def query_and_key_swapped(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_k) @ (y @ w_v @ w_o @ w_q).T / w_k.shape[1] ** 0.5


def the_word_and_the_message(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_q) @ ((y + y @ w_v @ w_o) @ w_k).T / w_k.shape[1] ** 0.5


def not_divided(x, y, first, second):
    return asks(x, y, first, second) * second[1].shape[1] ** 0.5


def divided_by_the_root_of_d_model(x, y, first, second):
    return not_divided(x, y, first, second) / second[1].shape[0] ** 0.5


def divided_by_the_root_of_d_value(x, y, first, second):
    (w_v, w_o), (w_q, w_k) = first, second
    return (x @ w_q) @ (y @ w_v @ w_o @ w_k).T / w_v.shape[1] ** 0.5


def divided_by_the_root_of_two(x, y, first, second):
    """Right for keys of two features."""
    return not_divided(x, y, first, second) / 2**0.5


def as_weights(x, y, first, second):
    return asks(x, y, first, second).softmax(dim=-1)


def on_its_side(x, y, first, second):
    return asks(x, y, first, second).T


def eight_bits(x):
    largest = x.abs().amax(dim=-1, keepdim=True)
    step = torch.where(largest > 0, largest / 127, 1.0)
    return (x / step).round() * step


def eight_bits_by_loop(x):
    rows = []
    for row in x.tolist():
        step = max(abs(number) for number in row) / 127
        rows.append([round(n / step) * step if step else 0.0 for n in row])
    return rows


def eight_bits_safe(x):
    step = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return ((x / step).round() * step).numpy()


def one_step_for_all(x):
    step = x.abs().max() / 127
    return (x / step).round() * step


def a_step_for_each_feature(x):
    step = x.abs().amax(dim=0, keepdim=True) / 127
    return (x / step).round() * step


def rounded_down(x):
    step = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return (x / step).floor() * step


def counts(x):
    step = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return (x / step).round()


def of_128(x):
    step = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 128
    return (x / step).round().clamp(-128, 127) * step


def of_255(x):
    step = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 255
    return (x / step).round() * step


def without_size(x):
    """Takes the largest number for the largest size."""
    step = x.amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return (x / step).round() * step


def small_steps_cut(least):
    """Keeps a step from becoming small, and not only from becoming zero."""

    def answer(x):
        step = x.abs().amax(dim=1, keepdim=True).clamp(min=least) / 127
        return (x / step).round() * step

    return answer


def divided_by_zero(x):
    step = x.abs().amax(dim=1, keepdim=True) / 127
    return (x / step).round() * step


def not_rounded(x):
    return x


RIGHT = [
    ("ex-inside-before", (looks_back,)),
    ("ex-inside-before", (looks_back_by_loop,)),
    ("ex-inside-before", (looks_back_as_array,)),
    ("ex-inside-key", (asks,)),
    ("ex-inside-key", (asks_with_one_matrix,)),
    ("ex-inside-key", (asks_by_rows,)),
    ("ex-inside-steps", (eight_bits,)),
    ("ex-inside-steps", (eight_bits_by_loop,)),
    ("ex-inside-steps", (eight_bits_safe,)),
    ("ex-inside-lucky", ((-2, 1), 5, -5, "tiny")),
    ("ex-inside-lucky", (torch.tensor([-2.0, 1.0]), 5.0, -5.0, "Tiny")),
    ("ex-inside-lucky", (["-4/2", "1"], "2**2+1", "\N{MINUS SIGN}5", " *Tiny*.")),
]

WRONG = [
    ("ex-inside-before", (mean_of_heads,), "for each head"),
    ("ex-inside-before", (at_itself,), "which diagonal"),
    ("ex-inside-before", (at_the_next,), "which diagonal"),
    ("ex-inside-before", (lambda w: looks_back(w.transpose(1, 2)),), "which diagonal"),
    ("ex-inside-before", (summed,), "which diagonal"),
    ("ex-inside-before", (over_all_tokens,), "which diagonal"),
    ("ex-inside-before", (from_the_second_token,), "from which token"),
    ("ex-inside-before", (from_the_fourth_token,), "third token counts"),
    ("ex-inside-before", (without_the_last,), "third token counts"),
    ("ex-inside-before", (largest,), "third token counts"),
    ("ex-inside-before", (five_of_seven,), "any length"),
    ("ex-inside-key", (on_its_side,), "a row for each row"),
    ("ex-inside-key", (without_a_message,), "depend on W_V"),
    ("ex-inside-key", (message_in_the_query,), "stands in the key"),
    ("ex-inside-key", (message_in_both,), "depend on W_V"),
    ("ex-inside-key", (query_and_key_swapped,), "stands in the key"),
    ("ex-inside-key", (the_word_and_the_message,), "stands in the key"),
    ("ex-inside-key", (as_weights,), "stands in the key"),
    ("ex-inside-key", (not_divided,), "root of the number"),
    ("ex-inside-key", (divided_by_the_root_of_d_model,), "root of the number"),
    ("ex-inside-key", (divided_by_the_root_of_two,), "root of the number"),
    ("ex-inside-key", (divided_by_the_root_of_d_value,), "root of the number"),
    ("ex-inside-steps", (lambda x: eight_bits(x)[0],), "shape of x"),
    ("ex-inside-steps", (one_step_for_all,), "counts of steps"),
    ("ex-inside-steps", (a_step_for_each_feature,), "counts of steps"),
    ("ex-inside-steps", (counts,), "counts of steps"),
    ("ex-inside-steps", (of_128,), "stay what it is"),
    ("ex-inside-steps", (of_255,), "whole number"),
    ("ex-inside-steps", (without_size,), "counts of steps"),
    ("ex-inside-steps", (not_rounded,), "whole number"),
    ("ex-inside-steps", (rounded_down,), "half a step"),
    ("ex-inside-steps", (small_steps_cut(0.1),), "small numbers"),
    ("ex-inside-steps", (small_steps_cut(1e-5),), "small numbers"),
    ("ex-inside-steps", (divided_by_zero,), "stay zero"),
    ("ex-inside-lucky", ((1, -2), 5, -5, "tiny"), "does not hand on the word"),
    ("ex-inside-lucky", ((2, -1), 5, -5, "tiny"), "does not hand on the word"),
    ("ex-inside-lucky", ((-1, 2), 5, -5, "tiny"), "does not hand on the word"),
    ("ex-inside-lucky", ((-2, 1), -4, -5, "tiny"), "of a vector with itself"),
    ("ex-inside-lucky", ((-2, 1), 3, -5, "tiny"), "of a vector with itself"),
    ("ex-inside-lucky", ((-2, 1), 5 / 2**0.5, -5, "tiny"), "of a vector with itself"),
    ("ex-inside-lucky", ((-2, 1), 5, 4, "tiny"), "about *Tiny* is (2, -1)"),
    ("ex-inside-lucky", ((-2, 1), 5, 5, "tiny"), "about *Tiny* is (2, -1)"),
    ("ex-inside-lucky", ((-2, 1), 5, -5, "lucky"), "of the four messages"),
    ("ex-inside-lucky", ((-2, 1), 5, -5, "happy"), "of the four messages"),
    ("ex-inside-lucky", ((-2, 1), 5, -5, "quiet"), "of the four messages"),
]
