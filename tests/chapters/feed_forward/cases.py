"""Answers to the exercises on the feed-forward network, right ones and wrong ones."""

import numpy as np
import torch


def matrices(network):
    return network.up_projection.weight.T, network.down_projection.weight.T


def by_probing(network):
    """The right answer, with a bias of one row."""
    nothing = torch.zeros(1, network.up_projection.in_features)
    bias = network(nothing)
    return network(torch.eye(nothing.size(1))) - bias, bias


def collapse(network, first_bias=True, order=1):
    up, down = matrices(network)
    bias = network.down_projection.bias
    bias = bias + network.up_projection.bias @ down if first_bias else bias
    return (up @ down, bias) if order == 1 else ((up @ down).T, bias)


def half(x, network, units):
    up, down = network.up_projection, network.down_projection
    hidden = network.activation(x @ up.weight[units].T + up.bias[units])
    return hidden @ down.weight.T[units]


def units(network):
    """Return the hidden units of either machine."""
    middle = network.up_projection.out_features // 2
    return slice(middle), slice(middle, None)


def halves(x, network):
    first, second = (half(x, network, part) for part in units(network))
    return first, second + network.down_projection.bias


def cut_afterwards(x, network):
    """Compute all hidden features, and let each machine read its own."""
    hidden = network.activation(network.up_projection(x))
    down, bias = network.down_projection.weight.T, network.down_projection.bias / 2
    return [hidden[:, part] @ down[part] + bias for part in units(network)]


def as_arrays(x, network):
    return [part.detach().numpy() for part in halves(x, network)]


def the_rest(x, network):
    """The second machine computes everything."""
    first = half(x, network, units(network)[0])
    return first, network(x) - first


def the_rest_first(x, network):
    """The first machine computes everything."""
    second = half(x, network, units(network)[1])
    return network(x) - second, second


def every_other(x, network):
    odd = half(x, network, slice(1, None, 2))
    return network(x) - odd, odd


def one_for_both(x, network):
    return network(x), 0 * x


def bias_twice(x, network):
    bias = network.down_projection.bias
    return [half(x, network, part) + bias for part in units(network)]


def masked(x, network):
    """All hidden features, and zeros for those of the other machine."""
    hidden = network.activation(network.up_projection(x))
    first = torch.zeros_like(hidden)
    first[:, units(network)[0]] = 1
    down, bias = network.down_projection.weight.T, network.down_projection.bias
    return hidden * first @ down, hidden * (1 - first) @ down + bias


def by_probing_without_care(network):
    """Asks the network itself, and leaves the bias in the matrix."""
    d_model = network.up_projection.in_features
    return network(torch.eye(d_model)), network(torch.zeros(1, d_model))[0]


def sum_of_the_biases(network):
    up, down = matrices(network)
    return up @ down, network.up_projection.bias.sum() + network.down_projection.bias


def first_bias_alone(network):
    up, down = matrices(network)
    return up @ down, network.up_projection.bias @ down


def last_bias_through_both(network):
    up, down = matrices(network)
    first, last = network.up_projection.bias, network.down_projection.bias
    return up @ down, (first + last @ up) @ down


def without_biases(network):
    up, down = matrices(network)
    return up @ down, 0 * network.down_projection.bias


def clearing_the_first_bias(network):
    """Makes the network fit the answer."""
    with torch.no_grad():
        network.up_projection.bias.zero_()
    return collapse(network)


def moving_the_first_bias(network):
    """The right answer, which leaves a network that computes the same."""
    matrix, bias = collapse(network)
    with torch.no_grad():
        network.up_projection.bias.zero_()
        network.down_projection.bias.copy_(bias)
    return matrix, network.down_projection.bias


def always_with_relu(x, network):
    up, down = network.up_projection, network.down_projection
    hidden = up(x).relu()
    first, second = (hidden[:, part] @ down.weight.T[part] for part in units(network))
    return first, second + down.bias


def with_a_third_of_the_bias(x, network):
    first, second = (half(x, network, part) for part in units(network))
    bias = network.down_projection.bias
    return first + bias / 3, second + 2 * bias / 3


def halves_at_four(x, network):
    """Right for eight hidden units."""
    first, second = half(x, network, slice(4)), half(x, network, slice(4, None))
    return first, second + network.down_projection.bias


RIGHT = [
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.6, 0.7, 0.3])),
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [0, -1], [[1], [-2]], [0])),
    ("ex-ffn-tea", ([[1, -1], [-1, 1]], [0, 0], [1, 1], 0)),
    ("ex-ffn-tea", ([[-1, 1], [-1, 1]], [1, -1], [-1, -1], 1)),
    ("ex-ffn-tea", ([[-0.5, 2], [-0.5, 2]], [1, -2], [[-2], [-1]], [2])),
    ("ex-ffn-tea", (torch.ones(2, 2), torch.tensor([0, -1]), np.array([1, -2]), 0.0)),
    ("ex-ffn-collapse", (collapse,)),
    ("ex-ffn-collapse", (by_probing,)),
    ("ex-ffn-collapse", (moving_the_first_bias,)),
    ("ex-ffn-halves", (halves,)),
    ("ex-ffn-halves", (cut_afterwards,)),
    ("ex-ffn-halves", (as_arrays,)),
    ("ex-ffn-halves", (with_a_third_of_the_bias,)),
    ("ex-ffn-same", ("same", "same", "changes", "same", "changes")),
]

WRONG = [
    ("ex-ffn-by-hand", ([2, 0, 0], [2.6, 0.7, 0.3]), "six hidden features"),
    ("ex-ffn-by-hand", ([2, 0, -1, 1, 1, 0], [2.6, 0.7, 0.3]), "never negative"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 0, 0], [2.6, 0.7, 0.3]), "dot product"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.5, 0.5, 0]), "switched on"),
    ("ex-ffn-by-hand", ([2, 0, -1, 1, 1, -2.5], [2.6, 0.7, 0.3]), "never negative"),
    ("ex-ffn-by-hand", ([2, 0, 1, 1, 1, 2.5], [2.6, 0.7, 0.3]), "dot product"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 1], [2.6, 0.7, 0.3]), "dot product"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.6, 0.2, 0.3]), "switched on"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.5, 0.5, 0.3]), "switched on"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [2.1, 0.7, 0.3]), "switched on"),
    ("ex-ffn-by-hand", ([2, 0, 0, 1, 1, 0], [3, 1, 0]), "switched on"),
    ("ex-ffn-tea", ([[1], [1]], [-1], [1], 0), "2 by 2"),
    ("ex-ffn-tea", ([[1, 1]], [0, -1], [1, -2], 0), "2 by 2"),
    ("ex-ffn-tea", (np.ones((2, 3)), [0, -1, -2], [1, -2, 0], 0), "2 by 2"),
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [0, -1], [1, -1], 0), "take away"),  # or
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [0, -1], [0, 1], 0), "milk alone"),  # and
    ("ex-ffn-tea", ([[1, 0], [0, 1]], [0, 0], [1, 1], 0), "take away"),
    ("ex-ffn-tea", ([[1, 0], [0, 1]], [0, 0], [1, -1], 0), "milk alone"),
    ("ex-ffn-tea", ([[1, -1], [1, -1]], [-1, 1], [1, 1], 0), "milk alone"),
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [1, -1], [1, -3], -1), "take away"),
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [1, 0], [1, -1], 0), "neither"),
    ("ex-ffn-tea", ([[1, 1], [1, 1]], [0, -1], [1, -2], 1), "milk alone"),
    ("ex-ffn-tea", ([[1, 1], [0, 1]], [0, -1], [1, -2], 0), "lemon alone"),
    ("ex-ffn-collapse", (matrices,), "shape"),
    ("ex-ffn-collapse", (lambda n: collapse(n, order=-1),), "which order"),
    ("ex-ffn-collapse", (lambda n: collapse(n, first_bias=False),), "first bias"),
    ("ex-ffn-collapse", (by_probing_without_care,), "which order"),
    ("ex-ffn-collapse", (sum_of_the_biases,), "first bias"),
    ("ex-ffn-collapse", (first_bias_alone,), "first bias"),
    ("ex-ffn-collapse", (last_bias_through_both,), "first bias"),
    ("ex-ffn-collapse", (without_biases,), "first bias"),
    ("ex-ffn-collapse", (clearing_the_first_bias,), "first bias"),
    ("ex-ffn-halves", (lambda x, n: (x[0], x[1]),), "shape of x"),
    ("ex-ffn-halves", (lambda x, n: (n(x), n(x)),), "no more"),
    ("ex-ffn-halves", (bias_twice,), "no more"),
    ("ex-ffn-halves", (lambda x, n: (0.5 * n(x), 0.5 * n(x)),), "first half"),
    ("ex-ffn-halves", (every_other,), "first half"),
    ("ex-ffn-halves", (one_for_both,), "first half"),
    ("ex-ffn-halves", (lambda x, n: halves(x, n)[::-1],), "first half"),
    ("ex-ffn-halves", (the_rest,), "its own half"),
    ("ex-ffn-halves", (the_rest_first,), "its own half"),
    ("ex-ffn-halves", (masked,), "its own half"),
    ("ex-ffn-halves", (halves_at_four,), "first half"),
    ("ex-ffn-halves", (always_with_relu,), "the activation of the network"),
    ("ex-ffn-same", ("same", "same", "same", "same"), "five times"),
    ("ex-ffn-same", ("changes", *["same"] * 4), "terms of a sum"),
    ("ex-ffn-same", ("same", "same", "same", "same", "changes"), "GELU"),
    ("ex-ffn-same", ("same", "same", "changes", "changes", "changes"), "two positions"),
    ("ex-ffn-same", ("same", "same", "changes", "same", "same"), "bend"),
    ("ex-ffn-same", ("same", "changes", "changes", "same", "changes"), "GELU"),
]
