"""Answers to the exercises on activations, right ones and wrong ones."""

import torch
import torch.nn.functional as F


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


def factors_within_a_hundred(up, bias, down, factors):
    """Takes very small and very large factors for mistakes."""
    return rescaled(up, bias, down, factors.clamp(0.01, 100))


def cut_off(x, activation):
    """Right for what usually comes."""
    return pass_through(x, activation).clamp(-100, 100)


def cut_before(x, activation):
    """Also forgets what was given."""
    return pass_through(x.clamp_(min=0), activation)


def turned_in_place(x, activation):
    bent = activation(x)
    return bent - activation(x.neg_())


def rescaled_in_place(up, bias, down, factors):
    up *= factors
    bias *= factors
    down /= factors[:, None]
    return up, bias, down


def h_swish(x):
    return x * (x / 6 + 0.5).clamp(0, 1)


def steeper(x):
    return x * torch.clamp(0.5 + x / 5, min=0, max=1)


def three_cases(x):
    return torch.where(x < -3, 0 * x, torch.where(x > 3, x, x * (x + 3) / 6))


def by_relu6(x):
    return x * F.relu6(x + 3) / 6


def by_two_clamps(x):
    gate = torch.clamp_min(torch.clamp_max(torch.add(x / 6, 0.5), 1), 0)
    return torch.mul(x, gate)


def by_comparing(x):
    """Cases again, as products with what is true."""
    inside = (x >= -3) & (x <= 3)
    return x * (x + 3) / 6 * inside + x * (x > 3)


def cheap_array(x):
    return h_swish(x).numpy()


def up_to_a_thousand(x):
    return x.clamp(-1000, 1000) * (x / 6 + 0.5).clamp(0, 1)


def too_steep(x):
    return x * (x / 4 + 0.5).clamp(0, 1)


def too_flat(x):
    return x * (x / 9 + 0.5).clamp(0, 1)


def gate_alone(x):
    return (x / 6 + 0.5).clamp(0, 1)


def open_from_zero(x):
    """The gate starts where it should be half open."""
    return x * (x / 6).clamp(0, 1)


def leaky(x):
    return F.leaky_relu(x, 0.1)


def parabola(x):
    """Right near zero, and never cut."""
    return x * (x / 6 + 0.5)


def cut_exponential(x):
    return torch.where(x.abs() > 6, x.clamp(min=0), F.silu(x))


def staircase(x):
    """Straight pieces that do not meet."""
    return x * ((x.clamp(-3, 3) * 8).round() / 48 + 0.5)


def five_lines(x):
    """Nearer to SiLU than three lines can come."""
    inner, outer = x.clamp(-1.5, 1.5), (x.abs() - 1.5).clamp(0, 3) * x.sign()
    return x * (0.5 + inner * 0.21 + outer * 0.185 / 3)


def jump(x):
    """Three lines that do not meet."""
    return torch.where(x.abs() > 2.5, x.clamp(min=0), x * (0.5 + x / 6))


def by_thirds(x):
    """Right, with a corner between two floating-point numbers."""
    return x * (x.clamp(-10 / 3, 10 / 3) * 0.15 + 0.5)


RIGHT = [
    ("ex-activations-by-hand", (0.8413, -0.1587, -0.2689)),
    ("ex-activations-pass", (pass_through,)),
    ("ex-activations-pass", (turned,)),
    ("ex-activations-pass", (as_array,)),
    ("ex-activations-pass", (turned_in_place,)),
    ("ex-activations-rescale", (rescaled,)),
    ("ex-activations-rescale", (rescaled_in_place,)),
    ("ex-activations-lowest", (-1.28, -0.28)),
    ("ex-activations-cheap", (h_swish,)),
    ("ex-activations-cheap", (steeper,)),
    ("ex-activations-cheap", (by_thirds,)),
    ("ex-activations-cheap", (by_two_clamps,)),
    ("ex-activations-cheap", (cheap_array,)),
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
    ("ex-activations-pass", (cut_off,), "x itself"),
    ("ex-activations-pass", (cut_before,), "below zero too"),
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
    ("ex-activations-rescale", (factors_within_a_hundred,), "each hidden feature"),
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
    ("ex-activations-cheap", (F.relu,), "neither too steep"),
    ("ex-activations-cheap", (F.silu,), "must be x"),
    ("ex-activations-cheap", (too_steep,), "neither too steep"),
    ("ex-activations-cheap", (too_flat,), "neither too steep"),
    ("ex-activations-cheap", (gate_alone,), "must be x"),
    ("ex-activations-cheap", (open_from_zero,), "neither too steep"),
    ("ex-activations-cheap", (leaky,), "must be 0"),
    ("ex-activations-cheap", (parabola,), "must be 0"),
    ("ex-activations-cheap", (cut_exponential,), "three straight lines"),
    ("ex-activations-cheap", (staircase,), "three straight lines"),
    ("ex-activations-cheap", (five_lines,), "three straight lines"),
    ("ex-activations-cheap", (up_to_a_thousand,), "must be x"),
    ("ex-activations-cheap", (jump,), "three straight lines"),
    ("ex-activations-cheap", (three_cases,), "and `clamp`"),
    ("ex-activations-cheap", (by_relu6,), "and `clamp`"),
    ("ex-activations-cheap", (F.hardswish,), "and `clamp`"),
    ("ex-activations-cheap", (lambda x: x * F.hardsigmoid(x),), "and `clamp`"),
    ("ex-activations-cheap", (by_comparing,), "and `clamp`"),
]
