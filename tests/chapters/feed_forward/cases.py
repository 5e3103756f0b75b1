"""Answers to the exercises on the feed-forward network, right ones and wrong ones."""

from chapters.feed_forward.answers import first_half


def matrices(network):
    return network.up_projection.weight.T, network.down_projection.weight.T


def collapse(network, first_bias=True, order=1):
    up, down = matrices(network)
    bias = network.down_projection.bias
    bias = bias + network.up_projection.bias @ down if first_bias else bias
    return (up @ down, bias) if order == 1 else ((up @ down).T, bias)


def halves(x, network):
    first = first_half(x)
    return first, network(x) - first


RIGHT = [
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.6, 0.7, 0.3])),
    ("ex-ffn-collapse", (collapse,)),
    ("ex-ffn-halves", (halves,)),
    ("ex-ffn-same", ("same", "same", "changes", "same", "changes")),
]

WRONG = [
    ("ex-ffn-by-hand", ([2, 0, 0], [2.6, 0.7, 0.3]), "six hidden features"),
    ("ex-ffn-by-hand", ([2, 0, -1, 1, 1, 0], [2.6, 0.7, 0.3]), "never negative"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 0, 0], [2.6, 0.7, 0.3]), "dot product"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.5, 0.5, 0]), "switched on"),
    ("ex-ffn-collapse", (matrices,), "shape"),
    ("ex-ffn-collapse", (lambda n: collapse(n, order=-1),), "which order"),
    ("ex-ffn-collapse", (lambda n: collapse(n, first_bias=False),), "first bias"),
    ("ex-ffn-halves", (lambda x, n: (x[0], x[1]),), "shape of x"),
    ("ex-ffn-halves", (lambda x, n: (n(x), n(x)),), "no more"),
    ("ex-ffn-halves", (lambda x, n: (0.5 * n(x), 0.5 * n(x)),), "first half"),
    ("ex-ffn-same", ("same", "same", "same", "same"), "five times"),
    ("ex-ffn-same", ("changes", *["same"] * 4), "terms of a sum"),
    ("ex-ffn-same", ("same", "same", "same", "same", "changes"), "GELU"),
    ("ex-ffn-same", ("same", "same", "changes", "changes", "changes"), "two positions"),
    ("ex-ffn-same", ("same", "same", "changes", "same", "same"), "bend"),
]
