"""Answers to the exercises on a language model: right ones, and clever wrong ones."""

from fractions import Fraction
from math import log

import torch


def in_bits(texts):
    """All bits over all characters, as the solution has it."""
    nats = sum(losses.sum() for losses, _ in texts)
    return nats / log(2) / sum(len(text) for _, text in texts)


def in_bits_by_logarithm(texts):
    bits = sum((losses / torch.tensor(2.0).log()).sum().item() for losses, _ in texts)
    return bits / len("".join(text for _, text in texts))


def in_nats(texts):
    return sum(x.sum() for x, _ in texts) / sum(len(text) for _, text in texts)


def of_tokens(texts):
    return torch.cat([losses for losses, _ in texts]).mean() / log(2)


def mean_of_texts(texts):
    each = [losses.sum() / log(2) / len(text) for losses, text in texts]
    return sum(each) / len(each)


def mean_times_tokens_a_character(texts):
    tokens = sum(len(losses) for losses, _ in texts) / len(texts)
    letters = sum(len(text) for _, text in texts) / len(texts)
    means = sum(losses.mean() for losses, _ in texts) / len(texts)
    return means / log(2) * tokens / letters


def of_words(texts):
    nats = sum(losses.sum() for losses, _ in texts)
    return nats / log(2) / sum(len(text.split()) for _, text in texts)


def without_line_ends(texts):
    nats = sum(losses.sum() for losses, _ in texts)
    return nats / log(2) / sum(len(text.replace("\n", "")) for _, text in texts)


def times_log_two(texts):
    return in_nats(texts) * log(2)


def below_zero(texts):
    return -in_bits(texts)


def windows(length, size, stride):
    """Begin, first to score and end of each window, as the solution has it."""
    found, begin, first = [], 0, 1
    while first < length:
        end = min(begin + size, length)
        found.append((begin, first, end))
        begin, first = begin + stride, end
    return found


def windows_in_tensor(length, size, stride):
    return torch.tensor(windows(length, size, stride))


def windows_side_by_side(length, size, stride):
    return [(a, a + 1, min(a + size, length)) for a in range(0, length - 1, size)]


def windows_that_score_all(length, size, stride):
    ends = range(0, max(length - size, 0) + stride, stride)
    return [(a, a + 1, min(a + size, length)) for a in ends if a + 1 < length]


def windows_without_overlap(length, size, stride):
    return [
        (max(a - 1, 0), max(a, 1), min(a + size - 1, length))
        for a in range(0, length, size - 1)
        if max(a, 1) < min(a + size - 1, length)
    ]


def windows_without_the_tail(length, size, stride):
    return [w for w in windows(length, size, stride) if w[2] - w[0] == size]


def windows_with_the_first(length, size, stride):
    first, *rest = windows(length, size, stride)
    return [(first[0], 0, first[2]), *rest]


def windows_of_one_step(length, size, stride):
    return [(max(t + 1 - size, 0), t, t + 1) for t in range(1, length)]


def windows_too_long(length, size, stride):
    return [(max(a - size, 0), b, c) for a, b, c in windows(length, size, stride)]


def windows_past_the_end(length, size, stride):
    return [(a, b, a + size) for a, b, _ in windows(length, size, stride)]


def witten_bell(counts, lower):
    """Mix what followed with a shorter context, as the solution does."""
    seen, kinds = sum(counts.values()), len(counts)
    if not seen:
        return lower
    return {
        x: (counts.get(x, 0) + kinds * p) / (seen + kinds) for x, p in lower.items()
    }


def witten_bell_in_fractions(counts, lower):
    lower = {x: Fraction(p).limit_denominator(1000) for x, p in lower.items()}
    return witten_bell(counts, lower)


def by_counts_alone(counts, lower):
    seen = sum(counts.values()) or 1
    return {x: counts.get(x, 0) / seen for x in lower}


def of_seen_letters(counts, lower):
    return {x: n / sum(counts.values()) for x, n in counts.items()}


def add_one(counts, lower):
    seen = sum(counts.values()) + len(lower)
    return {x: (counts.get(x, 0) + 1) / seen for x in lower}


def half_and_half(counts, lower):
    seen = sum(counts.values()) or 1
    return {x: counts.get(x, 0) / seen / 2 + p / 2 for x, p in lower.items()}


def back_off(counts, lower):
    seen, kinds = sum(counts.values()), len(counts)
    if not seen:
        return lower
    return {
        x: counts[x] / (seen + kinds) if x in counts else kinds * p / (seen + kinds)
        for x, p in lower.items()
    }


def kinds_of_all_letters(counts, lower):
    seen, kinds = sum(counts.values()), len(lower)
    return {
        x: (counts.get(x, 0) + kinds * p) / (seen + kinds) for x, p in lower.items()
    }


def three_kinds(counts, lower):
    seen = sum(counts.values())
    return {x: (counts.get(x, 0) + 3 * p) / (seen + 3) for x, p in lower.items()}


def weight_by_count(counts, lower):
    seen = sum(counts.values())
    return {
        x: (counts.get(x, 0) + seen * p) / (2 * seen or 1) for x, p in lower.items()
    }


def witten_bell_that_stops_at_nothing(counts, lower):
    seen, kinds = sum(counts.values()), len(counts)
    total = seen + kinds or 1
    return {x: (counts.get(x, 0) + kinds * p) / total for x, p in lower.items()}


def longest_copy(written, book):
    """Return the longest run of letters that stands in both, as the solution does."""
    best = ""
    for begin in range(len(written)):
        while written[begin : begin + len(best) + 1] in book and begin + len(
            best
        ) < len(written):
            best = written[begin : begin + len(best) + 1]
    return best


def longest_copy_from_long_to_short(written, book):
    for size in range(len(written), 0, -1):
        for begin in range(len(written) - size + 1):
            if written[begin : begin + size] in book:
                return written[begin : begin + size]
    return ""


def length_of_copy(written, book):
    return len(longest_copy(written, book))


def copy_from_the_start(written, book):
    size = len(written)
    while written[:size] not in book:
        size -= 1
    return written[:size]


def copy_of_words(written, book):
    words, best = written.split(), ""
    for a in range(len(words)):
        for b in range(a + 1, len(words) + 1):
            run = " ".join(words[a:b])
            if run in book and len(run) > len(best):
                best = run
    return best


def letters_in_order(written, book):
    place, kept = 0, ""
    for letter in written:
        found = book.find(letter, place)
        if found >= 0:
            place, kept = found + 1, kept + letter
    return kept


def first_copy(written, book):
    for begin in range(len(written)):
        size = 1
        while begin + size <= len(written) and written[begin : begin + size] in book:
            size += 1
        if size > 4:
            return written[begin : begin + size - 1]
    return ""


def all_or_nothing(written, book):
    return written if written in book else ""


def copy_to_the_end(written, book):
    for begin in range(len(written) + 1):
        if written[begin:] in book:
            return written[begin:]
    return ""


def never_empty(written, book):
    return longest_copy(written, book) or written[:1]


RIGHT = [
    ("ex-language-by-hand", (13 / 16, 1 / 32, 5)),
    ("ex-language-by-hand", (Fraction(13, 16), Fraction(1, 32), 5)),
    ("ex-language-by-hand", ("13/16", "1/32", 5)),
    ("ex-language-currency", (in_bits,)),
    ("ex-language-currency", (in_bits_by_logarithm,)),
    ("ex-language-windows", (windows,)),
    ("ex-language-windows", (windows_in_tensor,)),
    ("ex-language-witten-bell", (witten_bell,)),
    ("ex-language-witten-bell", (witten_bell_in_fractions,)),
    ("ex-language-copies", (longest_copy,)),
    ("ex-language-copies", (longest_copy_from_long_to_short,)),
    ("ex-language-think", ("unfair", "fair", "unfair", "unfair", "fair")),
    ("ex-language-windows", ([(0, 1, 4), (2, 4, 6), (4, 6, 7)],)),
    ("ex-language-windows", (torch.tensor([[0, 1, 4], [2, 4, 6], [4, 6, 7]]),)),
    ("ex-language-windows", ([["0", "1", "4"], [2, 4, 6], [4, "6.0", 7]],)),
]
WRONG = [
    ("ex-language-by-hand", (3 / 4, 1 / 32, 5), "cut off c"),
    ("ex-language-by-hand", (11 / 16, 1 / 32, 5), "cut off c"),
    ("ex-language-by-hand", (27 / 32, 1 / 32, 5), "cut off c"),
    ("ex-language-by-hand", (13 / 16, 1, 5), "the product"),
    ("ex-language-by-hand", (13 / 16, 1 / 8, 5), "the product"),
    ("ex-language-by-hand", (13 / 16, 1 / 32, 3), "costs two"),
    ("ex-language-by-hand", (13 / 16, 1 / 32, 24), "costs two"),
    ("ex-language-currency", (below_zero,), "above zero"),
    ("ex-language-currency", (in_nats,), "one nat"),
    ("ex-language-currency", (of_tokens,), "not by tokens"),
    ("ex-language-currency", (mean_of_texts,), "a long text"),
    ("ex-language-currency", (mean_times_tokens_a_character,), "all bits of all"),
    ("ex-language-currency", (of_words,), "all bits of all"),
    ("ex-language-currency", (without_line_ends,), "all bits of all"),
    ("ex-language-currency", (times_log_two,), "all bits of all"),
    ("ex-language-windows", (windows_too_long,), "no more tokens"),
    ("ex-language-windows", (windows_past_the_end,), "no more tokens"),
    ("ex-language-windows", (windows_side_by_side,), "no token twice"),
    ("ex-language-windows", (windows_that_score_all,), "no token twice"),
    ("ex-language-windows", (windows_without_the_tail,), "no token twice"),
    ("ex-language-windows", (windows_with_the_first,), "no token twice"),
    ("ex-language-windows", (windows_without_overlap,), "size - stride"),
    ("ex-language-windows", (windows_of_one_step,), "no more windows"),
    ("ex-language-witten-bell", (of_seen_letters,), "each letter"),
    ("ex-language-witten-bell", (back_off,), "sum to one"),
    ("ex-language-witten-bell", (by_counts_alone,), "set aside"),
    ("ex-language-witten-bell", (add_one,), "set aside"),
    ("ex-language-witten-bell", (half_and_half,), "set aside"),
    ("ex-language-witten-bell", (kinds_of_all_letters,), "set aside"),
    ("ex-language-witten-bell", (weight_by_count,), "set aside"),
    ("ex-language-witten-bell", (three_kinds,), "other counts"),
    ("ex-language-witten-bell", (witten_bell_that_stops_at_nothing,), "never came"),
    ("ex-language-copies", (length_of_copy,), "the letters"),
    ("ex-language-copies", (all_or_nothing,), "begin anywhere"),
    ("ex-language-copies", (copy_from_the_start,), "begin anywhere"),
    ("ex-language-copies", (copy_of_words,), "begin anywhere"),
    ("ex-language-copies", (copy_to_the_end,), "end anywhere"),
    ("ex-language-copies", (letters_in_order,), "side by side"),
    ("ex-language-copies", (first_copy,), "not the first"),
    ("ex-language-copies", (never_empty,), "nothing is copied"),
    ("ex-language-think", ("yes", "fair", "unfair", "unfair", "fair"), "five times"),
    ("ex-language-think", ("fair", "fair", "unfair", "unfair", "fair"), "easier"),
    ("ex-language-think", ("unfair", "unfair", "unfair", "unfair", "fair"), "pieces"),
    ("ex-language-think", ("unfair", "fair", "fair", "unfair", "fair"), "with nothing"),
    ("ex-language-think", ("unfair", "fair", "unfair", "fair", "fair"), "learned from"),
    ("ex-language-think", ("unfair", "fair", "unfair", "unfair", "unfair"), "same"),
    (
        "ex-language-windows",
        ([(0, 1, 4), (2, 3, 6), (4, 5, 7)],),
        "where did the window before end",
    ),
    (
        "ex-language-windows",
        ([(0, 0, 4), (2, 4, 6), (4, 6, 7)],),
        "where did the window before end",
    ),
    (
        "ex-language-windows",
        ([(0, 1, 4), (2, 5, 6), (4, 7, 7)],),
        "where did the window before end",
    ),
    ("ex-language-windows", ([(0, 1, 4), (4, 5, 7), (6, 7, 7)],), "two tokens after"),
    ("ex-language-windows", ([(0, 1, 4), (2, 4, 6), (4, 6, 8)],), "holds four tokens"),
    ("ex-language-windows", ([(0, 1, 3), (2, 4, 5), (4, 6, 6)],), "holds four tokens"),
    ("ex-language-windows", ([(0, 1, 4), (4, 5, 7)],), "three windows"),
    (
        "ex-language-windows",
        ([(0, 1, 4), (2, 4, 6), (4, 6, 7), (6, 7, 7)],),
        "three windows",
    ),
]
