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


def turned(x, activation):
    return -(activation(-x) - activation(x))


def as_array(x, activation):
    return pass_through(x, activation).numpy()


def called_in_vain(x, activation):
    activation(x)
    activation(x)
    return x


def added_in_vain(x, activation):
    return x + activation(x) - activation(x)


def weighted_with_zero(x, activation):
    return x + 0 * (activation(x) - activation(-x))


def sign_from_the_activation(x, activation):
    """The size of x is kept, and only its sign is asked for."""
    return (activation(x) - activation(-x)).sign() * x.abs()


def scaled_to_fit(x, activation):
    """Repair any activation by its value at one."""
    one = x.new_ones(())
    return x * (activation(one) - activation(-one))


def rescaled(up, bias, down, factors):
    return up * factors, bias * factors, down / factors[:, None]


def transposed(up, bias, down, factors):
    return up.T, bias, down


def bias_forgotten(up, bias, down, factors):
    return up * factors, bias, down / factors[:, None]


def down_forgotten(up, bias, down, factors):
    return up * factors, bias * factors, down


def factors_from_the_end(up, bias, down, factors):
    return rescaled(up, bias, down, factors.flip(0))


def one_factor_for_all(up, bias, down, factors):
    return rescaled(up, bias, down, factors.mean().expand_as(factors))


def multiplied_down(up, bias, down, factors):
    return up * factors, bias * factors, down * factors[:, None]


def divided_first(up, bias, down, factors):
    return rescaled(up, bias, down, 1 / factors)


def factors_of_the_check(up, bias, down, factors):
    """The factors are never read."""
    return rescaled(up, bias, down, factors.new_tensor(range(1, 8)) / 4)


def factors_in_order(up, bias, down, factors):
    return rescaled(up, bias, down, factors.sort().values)


def up_alone(up, bias, down, factors):
    return up * factors, bias, down


def by_two_inputs(x, activation):
    """Right for what is linear on either side of zero."""
    return activation(x).relu() - activation(-x).relu()


def rescaled_in_place(up, bias, down, factors):
    up *= factors
    bias *= factors
    down /= factors[:, None]
    return up, bias, down


RIGHT = [
    ("ex-activations-by-hand", (0.8413, -0.1587, -0.2689)),
    ("ex-activations-pass", (pass_through,)),
    ("ex-activations-pass", (turned,)),
    ("ex-activations-pass", (as_array,)),
    ("ex-activations-rescale", (rescaled,)),
    ("ex-activations-rescale", (rescaled_in_place,)),
    ("ex-activations-lowest", (-1.28, -0.28)),
]

WRONG = [
    ("ex-activations-by-hand", (0.5, -0.1587, -0.2689), "the share of a standard"),
    ("ex-activations-by-hand", (0.8413, 0.1587, -0.2689), "minus GELU(-1)"),
    ("ex-activations-by-hand", (0.8413, -0.1587, 0.2689), "the sigmoid at -1"),
    ("ex-activations-by-hand", (0.8412, -0.1587, -0.2689), "the share of a standard"),
    ("ex-activations-by-hand", (0.8458, -0.1587, -0.2689), "the share of a standard"),
    ("ex-activations-by-hand", (0.84, -0.16, -0.27), "the share of a standard"),
    ("ex-activations-by-hand", (0.8413, -0.8413, -0.2689), "minus GELU(-1)"),
    ("ex-activations-by-hand", (0.8413, -0.1588, -0.2689), "minus GELU(-1)"),
    ("ex-activations-by-hand", (0.8413, -0.1587, -0.7311), "the sigmoid at -1"),
    ("ex-activations-by-hand", (0.8413, -0.1587, -0.2690), "the sigmoid at -1"),
    ("ex-activations-pass", (one_sided,), "with ReLU"),
    ("ex-activations-pass", (patched,), "with SiLU"),
    ("ex-activations-pass", (three_calls,), "exactly twice"),
    ("ex-activations-pass", (lambda x, activation: x,), "exactly twice"),
    ("ex-activations-pass", (called_in_vain,), "what the two calls return"),
    ("ex-activations-pass", (added_in_vain,), "what the two calls return"),
    ("ex-activations-pass", (weighted_with_zero,), "what the two calls return"),
    ("ex-activations-pass", (sign_from_the_activation,), "what the two calls return"),
    ("ex-activations-pass", (scaled_to_fit,), "what the two calls return"),
    ("ex-activations-pass", (by_two_inputs,), "with SiLU"),
    ("ex-activations-rescale", (transposed,), "keep their shapes"),
    ("ex-activations-rescale", (bias_forgotten,), "each hidden feature"),
    ("ex-activations-rescale", (down_forgotten,), "must stay"),
    ("ex-activations-rescale", (factors_from_the_end,), "each hidden feature"),
    ("ex-activations-rescale", (one_factor_for_all,), "each hidden feature"),
    ("ex-activations-rescale", (multiplied_down,), "must stay"),
    ("ex-activations-rescale", (divided_first,), "each hidden feature"),
    ("ex-activations-rescale", (factors_of_the_check,), "each hidden feature"),
    ("ex-activations-rescale", (factors_in_order,), "each hidden feature"),
    ("ex-activations-rescale", (up_alone,), "each hidden feature"),
    ("ex-activations-lowest", (-1.0, -0.28), "the place"),
    ("ex-activations-lowest", (-1.28, 0.28), "the value"),
    ("ex-activations-lowest", (1.28, -0.28), "the place"),
    ("ex-activations-lowest", (-1.37, -0.28), "the place"),
    ("ex-activations-lowest", (-1.27, -0.28), "the place"),
    ("ex-activations-lowest", (-1.3, -0.3), "the place"),
    ("ex-activations-lowest", (-0.75, -0.17), "the place"),
    ("ex-activations-lowest", (-0.28, -1.28), "the place"),
    ("ex-activations-lowest", (-1.28, -1.28), "the value"),
    ("ex-activations-lowest", (-1.28, 0.22), "the value"),
    ("ex-activations-lowest", (-1.28, -0.27), "the value"),
]
