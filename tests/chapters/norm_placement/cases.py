"""Answers to the exercises on norm placement, right ones and wrong ones."""

from chapters.norm_placement.answers import stacked


def send(final=True, before="pre"):
    """The right answer, or one that lacks a part."""

    def answer(x, sublayers, norm, placement):
        y = stacked(x, before if placement == "pre" else placement)
        return norm(y) if placement == "pre" and final else y

    return answer


def send_sums(x, sublayers, norm, placement):
    for sublayer in sublayers:
        x = x + sublayer(x)
    return norm(x)


RIGHT = [
    ("ex-shares-by-hand", (5, 0.45, 0.2)),
    ("ex-placement-code", (send(),)),
    ("ex-damp-code", (lambda change, count: change / count**0.5,)),
    ("ex-deeper", ("grows", "stays", "shrinks", "stays")),
]

WRONG = [
    ("ex-shares-by-hand", (4, 0.45, 0.2), "add up"),
    ("ex-shares-by-hand", (5, 0.2, 0.2), "root of the input's share"),
    ("ex-shares-by-hand", (5, 0.45, 0.45), "shrinks by one factor"),
    ("ex-placement-code", (lambda x, *_: x[0],), "shape"),
    ("ex-placement-code", (send_sums,), "normalize each sum"),
    ("ex-placement-code", (send(before="post"),), "what each sublayer reads"),
    ("ex-placement-code", (send(final=False),), "final norm"),
    ("ex-damp-code", (lambda change, count: change.sum(),), "shape"),
    ("ex-damp-code", (lambda change, count: 0 * change,), "stay as it is"),
    ("ex-damp-code", (lambda change, count: change / count,), "after 100 changes"),
    (
        "ex-damp-code",
        (lambda c, n: c / n**0.5 + (n == 7),),
        "multiple",
    ),
    ("ex-deeper", ("more", "stays", "shrinks", "stays"), "answer with"),
    ("ex-deeper", ("stays", "stays", "shrinks", "stays"), "the stream, or its norm"),
    ("ex-deeper", ("grows", "stays", "grows", "stays"), "fixed size"),
    ("ex-deeper", ("grows", "stays", "shrinks", "grows"), "last norm"),
]
