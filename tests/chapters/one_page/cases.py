"""Answers to the exercises on the whole machine on one page, right and wrong ones."""

import torch

from chapters.one_page.one_page_transformer import END, PAD, SIGNS, START, draw_rows


def by_row(count):
    source, target = draw_rows(count)
    for row in target:
        end = (row == END).nonzero().item()
        row[1:end] = row[1:end].sort().values
    return source, target


def by_large_numbers(count):
    source, target = draw_rows(count)
    key = target.masked_fill(target == PAD, 100).masked_fill(target == END, 99)
    return source, target.gather(1, key.argsort(dim=1))


def as_lists(count):
    source, target = by_row(count)
    return source.tolist(), target.tolist()


def as_arrays(count):
    source, target = by_row(count)
    return source.numpy(), target.numpy()


def all_sorted(count):
    source, target = draw_rows(count)
    return source, target.sort(dim=1).values


def descending(count):
    source, target = by_row(count)
    for row in target:
        end = (row == END).nonzero().item()
        row[1:end] = row[1:end].flip(0)
    return source, target


def still_backward(count):
    return draw_rows(count)


def end_first(count):
    source, target = draw_rows(count)
    key = target.masked_fill(target == PAD, 100)
    return source, key.sort(dim=1).values % 100


def source_sorted_too(count):
    source, target = by_row(count)
    return source.sort(dim=1).values, target


def each_letter_once(count):
    source, target = by_row(count)
    for row, given in zip(target, source, strict=True):
        kept = given[given != PAD].unique()
        row[1:] = PAD
        row[1 : 1 + len(kept)] = kept
        row[1 + len(kept)] = END
    return source, target


def first_letters_only(count):
    source, target = by_row(count)
    for row in target:
        end = (row == END).nonzero().item()
        row[1:end] = row[1].clone()
    return source, target


def without_end(count):
    source, target = by_row(count)
    return source, target.masked_fill(target == END, PAD)


def of_sorted_words(count):
    """Draws words that are in order already."""
    source, target = by_row(count)
    for word, row in zip(source, target, strict=True):
        word[: (word != PAD).sum()] = row[row > END]
    return source, target


def with_a_seed(count):
    torch.manual_seed(0)
    return by_row(count)


def of_words(make):
    """Draws words of another kind, each made of the number of its letters."""

    def answer(count):
        source, target = by_row(count)
        for word, row in zip(source, target, strict=True):
            length = int((word != PAD).sum())
            word[:length] = make(length)
            row[1 : 1 + length] = word[:length].sort().values
        return source, target

    return answer


def the_same_row(count):
    source, target = by_row(1)
    return source.repeat(count, 1), target.repeat(count, 1)


def always_64(count):
    return by_row(64)


def read_ids(text):
    return torch.tensor([[SIGNS.index(sign) for sign in text]])


@torch.no_grad()
def once(model, text):
    source = read_ids(text)
    not_pad = (source != PAD)[:, None, None, :]
    memory = model.encode(source, not_pad)
    ids = [START]
    while len(ids) < 10 and ids[-1] != END:
        logits = model.decode(torch.tensor([ids]), memory, not_pad)
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


@torch.no_grad()
def once_by_for(model, text):
    source = read_ids(text)
    not_pad = torch.ones(1, 1, 1, len(text), dtype=torch.bool)
    memory, said = model.encode(source, not_pad), SIGNS[START]
    for _ in range(9):
        following = model.decode(read_ids(said), memory, not_pad)[0, -1].argmax()
        said += SIGNS[following]
        if following == END:
            break
    return said[1:]


@torch.no_grad()
def once_in_eval(model, text):
    """The right answer, without dropout, and where the model lies."""
    device = next(model.parameters()).device
    model.eval()
    source = read_ids(text).to(device)
    memory = model.encode(source, (source != PAD)[:, None, None, :])
    ids = [START]
    while len(ids) < 10 and ids[-1] != END:
        target = torch.tensor([ids], device=device)
        logits = model.decode(target, memory, (source != PAD)[:, None, None, :])
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


def once_with(not_pad, again=lambda source: source != PAD):
    """The right answer, with other masks for the encoder and the decoder."""

    @torch.no_grad()
    def answer(model, text):
        source = read_ids(text)
        memory = model.encode(source, not_pad(source))
        ids = [START]
        while len(ids) < 10 and ids[-1] != END:
            logits = model.decode(torch.tensor([ids]), memory, again(source))
            ids.append(logits[0, -1].argmax().item())
        return "".join(SIGNS[number] for number in ids[1:])

    return answer


def four_axes(source):
    return (source != PAD)[:, None, None, :]


def upside_down(source):
    return (source == PAD)[:, None, None, :]


def by_columns(source):
    """As many rows as there are letters, for a target that has fewer."""
    return (source != PAD)[:, None, :, None].expand(-1, -1, -1, source.size(1))


def first_letter(source):
    return (source == source[:, :1])[:, None, None, :]


def once_padded(mask):
    """The right answer with a source of eight places, if padding is masked."""

    @torch.no_grad()
    def answer(model, text):
        source = torch.full((1, 8), PAD)
        source[:, : len(text)] = read_ids(text)
        not_pad = mask(source).bool()
        memory, ids = model.encode(source, not_pad), [START]
        while len(ids) < 10 and ids[-1] != END:
            logits = model.decode(torch.tensor([ids]), memory, not_pad)
            ids.append(logits[0, -1].argmax().item())
        return "".join(SIGNS[number] for number in ids[1:])

    return answer


@torch.no_grad()
def each_time(model, text):
    source, ids = read_ids(text), [START]
    while len(ids) < 10 and ids[-1] != END:
        logits = model(source, torch.tensor([ids]))
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


@torch.no_grad()
def with_start(model, text):
    return SIGNS[START] + once(model, text)


@torch.no_grad()
def without_stopping(model, text):
    source = read_ids(text)
    not_pad = (source != PAD)[:, None, None, :]
    memory, ids = model.encode(source, not_pad), [START]
    while len(ids) < 10:
        logits = model.decode(torch.tensor([ids]), memory, not_pad)
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


@torch.no_grad()
def end_cut_off(model, text):
    return once(model, text).removesuffix(SIGNS[END])


@torch.no_grad()
def ten_signs(model, text):
    source = read_ids(text)
    not_pad = (source != PAD)[:, None, None, :]
    memory, ids = model.encode(source, not_pad), [START]
    while len(ids) < 11 and ids[-1] != END:
        logits = model.decode(torch.tensor([ids]), memory, not_pad)
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


@torch.no_grad()
def last_sign_only(model, text):
    source = read_ids(text)
    not_pad = (source != PAD)[:, None, None, :]
    memory, ids = model.encode(source, not_pad), [START]
    while len(ids) < 10 and ids[-1] != END:
        logits = model.decode(torch.tensor([ids[-1:]]), memory, not_pad)
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


@torch.no_grad()
def all_at_once(model, text):
    source = read_ids(text)
    not_pad = (source != PAD)[:, None, None, :]
    memory = model.encode(source, not_pad)
    target = torch.full((1, 9), START)
    found = model.decode(target, memory, not_pad)[0].argmax(dim=-1).tolist()
    return "".join(SIGNS[number] for number in found)


RIGHT = [
    ("ex-one-page-sort", (by_row,)),
    ("ex-one-page-sort", (by_large_numbers,)),
    ("ex-one-page-sort", (as_lists,)),
    ("ex-one-page-sort", (as_arrays,)),
    ("ex-one-page-once", (once,)),
    ("ex-one-page-once", (once_by_for,)),
    ("ex-one-page-once", (once_in_eval,)),
    ("ex-one-page-once", (once_padded(four_axes),)),
    ("ex-one-page-once", (once_with(lambda source: source != PAD),)),
    ("ex-one-page-logs", ("shift", "heads", "mask", "scale")),
    ("ex-one-page-logs", (" Shift", "HEADS", "mask ", "scale")),
    ("ex-one-page-count", (7, 28, 6, 44)),
    ("ex-one-page-count", ("7.", "4*7", "3+2+1", "4 * 11")),
    ("ex-one-page-count", (7.0, "28", 6, "44.0")),
]

WRONG = [
    ("ex-one-page-sort", (always_64,), "as many rows as asked for"),
    ("ex-one-page-sort", (source_sorted_too,), "leave it as it is drawn"),
    ("ex-one-page-sort", (all_sorted,), "must begin with the start"),
    ("ex-one-page-sort", (end_first,), "behind the letters of a target"),
    ("ex-one-page-sort", (without_end,), "behind the letters of a target"),
    ("ex-one-page-sort", (each_letter_once,), "behind the letters of a target"),
    ("ex-one-page-sort", (first_letters_only,), "each as often"),
    ("ex-one-page-sort", (descending,), "order of the alphabet"),
    ("ex-one-page-sort", (still_backward,), "order of the alphabet"),
    ("ex-one-page-sort", (the_same_row,), "one row over and over"),
    ("ex-one-page-sort", (of_sorted_words,), "in any order"),
    ("ex-one-page-sort", (with_a_seed,), "others at each call"),
    (
        "ex-one-page-sort",
        (of_words(lambda length: torch.randperm(8)[:length] + 3),),
        "a letter twice in some",
    ),
    (
        "ex-one-page-sort",
        (of_words(lambda length: torch.randint(3, 10, (length,))),),
        "of all lengths and letters",
    ),
    ("ex-one-page-once", (with_start,), "nine signs"),
    ("ex-one-page-once", (ten_signs,), "nine signs"),
    (
        "ex-one-page-once",
        (lambda model, text: once(model, text.replace("h", "g")),),
        "nine signs",
    ),
    ("ex-one-page-once", (once_padded(torch.ones_like),), "False at padding"),
    ("ex-one-page-once", (last_sign_only,), "nine signs"),
    ("ex-one-page-once", (all_at_once,), "nine signs"),
    ("ex-one-page-once", (without_stopping,), "must stop with it"),
    ("ex-one-page-once", (end_cut_off,), "must stop with it"),
    ("ex-one-page-once", (each_time,), "encoded once"),
    ("ex-one-page-once", (once_with(upside_down, upside_down),), "True at each"),
    ("ex-one-page-once", (once_with(upside_down),), "True at each"),
    ("ex-one-page-once", (once_with(four_axes, upside_down),), "True at each"),
    ("ex-one-page-once", (once_with(lambda source: None),), "True at each"),
    ("ex-one-page-once", (once_with(lambda source: source),), "True at each"),
    ("ex-one-page-once", (once_with(first_letter),), "True at each"),
    ("ex-one-page-once", (once_with(four_axes, by_columns),), "True at each"),
    ("ex-one-page-logs", ("residual", "heads", "mask", "scale"), "each answer is one"),
    ("ex-one-page-logs", ("mask", "heads", "shift", "scale"), "(1)"),
    ("ex-one-page-logs", ("shift", "mask", "heads", "scale"), "(2)"),
    ("ex-one-page-logs", ("shift", "heads", "scale", "mask"), "(3)"),
    ("ex-one-page-logs", ("shift", "heads", "mask", "shift"), "(4)"),
    ("ex-one-page-count", (8, 28, 6, 44), "each letter that was read"),
    ("ex-one-page-count", (9, 28, 6, 44), "each letter that was read"),
    ("ex-one-page-count", (7, 49, 6, 44), "the signs of the target ask"),
    ("ex-one-page-count", (7, 21, 6, 44), "the signs of the target ask"),
    ("ex-one-page-count", (7, 7, 6, 44), "the signs of the target ask"),
    ("ex-one-page-count", (7, 112, 6, 44), "the signs of the target ask"),
    ("ex-one-page-count", (7, 28, 10, 44), "never the row itself"),
    ("ex-one-page-count", (7, 28, 3, 44), "never the row itself"),
    ("ex-one-page-count", (7, 28, 12, 44), "never the row itself"),
    ("ex-one-page-count", (7, 28, 6, 11), "not the last row alone"),
    ("ex-one-page-count", (7, 28, 6, 33), "not the last row alone"),
    ("ex-one-page-count", (7, 28, 6, 128), "not the last row alone"),
]
