"""Answers to the exercises on activations, right ones and wrong ones."""


def pass_through(x, activation):
    return activation(x) - activation(-x)


def one_sided(x, activation):
    return activation(x)


def patched(x, activation):
    """Right for ReLU alone."""
    return activation(x) - (-x).clamp(min=0)


def three_calls(x, activation):
    activation(x)
    return activation(x) - activation(-x)


def rescaled(up, bias, down, factors):
    return up * factors, bias * factors, down / factors[:, None]


def transposed(up, bias, down, factors):
    return up.T, bias, down


def bias_forgotten(up, bias, down, factors):
    return up * factors, bias, down / factors[:, None]


def down_forgotten(up, bias, down, factors):
    return up * factors, bias * factors, down


RIGHT = [
    ("ex-activations-by-hand", (0.8413, -0.1587, -0.2689)),
    ("ex-activations-pass", (pass_through,)),
    ("ex-activations-rescale", (rescaled,)),
    ("ex-activations-lowest", (-1.28, -0.28)),
]

WRONG = [
    ("ex-activations-by-hand", (0.5, -0.1587, -0.2689), "the share of a standard"),
    ("ex-activations-by-hand", (0.8413, 0.1587, -0.2689), "minus GELU(-1)"),
    ("ex-activations-by-hand", (0.8413, -0.1587, 0.2689), "the sigmoid at -1"),
    ("ex-activations-pass", (one_sided,), "with ReLU"),
    ("ex-activations-pass", (patched,), "with SiLU"),
    ("ex-activations-pass", (three_calls,), "exactly twice"),
    ("ex-activations-rescale", (transposed,), "keep their shapes"),
    ("ex-activations-rescale", (bias_forgotten,), "each hidden feature"),
    ("ex-activations-rescale", (down_forgotten,), "must stay"),
    ("ex-activations-lowest", (-1.0, -0.28), "the place"),
    ("ex-activations-lowest", (-1.28, 0.28), "the value"),
]
