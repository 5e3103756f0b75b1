"""What the explorer of softmax and dimension computes is what the package computes."""

import torch

from chapters.self_attention import explorer as self_attention
from chapters.self_attention.explorer import KEYS, QUERIES, SIZES
from transformer.layers import scaled_dot_product_attention

DATA = self_attention.show().data


def vectors():
    """Draw the vectors as the chapter draws its own."""
    query = torch.randn(
        QUERIES, 1, SIZES[-1], generator=torch.Generator().manual_seed(11), dtype=float
    )
    key = torch.randn(
        KEYS, SIZES[-1], generator=torch.Generator().manual_seed(12), dtype=float
    )
    return query[:, 0], key


def test_data_are_dot_products_of_the_first_features():
    query, key = vectors()
    for i, size in enumerate(SIZES):
        scores = torch.tensor(DATA["scores"], dtype=torch.float64)[:, i]
        expected = query[:, :size] @ key[:, :size].T
        torch.testing.assert_close(scores, expected, rtol=0, atol=0.00051)


def test_script_weighs_as_the_package_does(ask):
    query, key = vectors()
    for size in SIZES:
        q, k = query[:, :size], key[:, :size]
        divisors = (1.0, size**0.5, 64.0)
        questions = [
            ["math.softmax", row, divisor]
            for divisor in divisors
            for row in (q @ k.T).tolist()
        ]
        answer = torch.tensor(ask("self_attention", *questions), dtype=torch.float64)
        expected = [
            scaled_dot_product_attention(q, k, k, scale=1 / divisor).weights
            for divisor in divisors
        ]
        torch.testing.assert_close(answer, torch.cat(expected), rtol=0, atol=1e-6)


def test_script_measures_weights_as_their_derivative_does(ask):
    weights = torch.randn(30, KEYS, dtype=torch.float64).mul(3).softmax(dim=-1)
    answers = ask(
        "self_attention", *(["math.measure", row] for row in weights.tolist())
    )
    for row, answer in zip(weights, answers, strict=True):
        jacobian = torch.autograd.functional.jacobian(
            lambda scores: scores.softmax(dim=-1), row.clamp(min=1e-300).log()
        )
        entropy = torch.distributions.Categorical(probs=row).entropy()
        expected = [float(entropy), float(row.max()), float(jacobian.trace())]
        found = [answer[name] for name in ("entropy", "largest", "trace")]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)
        assert self_attention.measure(row).keys() == answer.keys()


def test_single_weight_has_no_entropy_and_no_derivative(ask):
    [answer] = ask("self_attention", ["math.measure", [0, 1, 0]])
    assert answer == {"entropy": 0, "largest": 1, "trace": 0}


def test_root_of_the_dimension_keeps_every_weight_below_the_bound_in_the_text():
    scores = self_attention.find_scores()
    roots = torch.tensor(SIZES, dtype=torch.float64)[:, None].sqrt()
    assert float((scores / roots).softmax(dim=-1).max()) < 0.55
    assert float(scores[:, -1].softmax(dim=-1).amax(dim=-1).min()) > 0.75


def test_slider_of_the_divisor_reaches_every_root(ask):
    steps = ask("self_attention", *(["math.rootStep", size] for size in SIZES))
    divisors = ask("self_attention", *(["math.divisor", step] for step in steps))
    assert steps[-1] <= self_attention.HALF_STEPS
    assert divisors == [size**0.5 for size in SIZES]


def test_uniform_weights_have_the_largest_entropy_and_trace():
    limits = self_attention.find_limits()
    expected = {"entropy": torch.tensor(KEYS).log().item(), "largest": 1.0}
    expected["trace"] = 1 - 1 / KEYS
    torch.testing.assert_close(limits, expected)
