"""What the explorer of a query among keys computes is what the package computes."""

import re

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.self_attention import explorer as self_attention
from chapters.self_attention.explorer import SIZES, WORDS, attend
from transformer.layers import scaled_dot_product_attention

DATA = self_attention.show().data
# Queries of the plane, all around and of all lengths.
QUERIES = [
    [length * x, length * y]
    for length in (0.3, 1.3, 2.5)
    for x, y in ((1, 0), (0.6, 0.8), (0, 1), (-0.8, 0.6), (-0.6, -0.8), (0, -1))
]


def vectors(query, size):
    """Put the features of the plane before random ones, drawn as the chapter does."""

    def drawn(rows, seed):
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(rows, SIZES[-1] - 2, generator=generator, dtype=float)

    keys = torch.tensor([key for key, _ in WORDS.values()], dtype=float)
    q = torch.cat((torch.tensor([query], dtype=float), drawn(1, 17)), dim=1)
    return q[:, :size], torch.cat((keys, drawn(6, 18)), dim=1)[:, :size]


def test_data_are_what_features_outside_of_the_plane_add():
    for hidden, size in zip(DATA["hidden"], SIZES, strict=True):
        q, k = vectors([0.0, 0.0], size)
        expected = (q @ k.T)[0]
        found = torch.tensor(hidden, dtype=float)
        torch.testing.assert_close(found, expected, rtol=0, atol=0.00051)


@facts("root", [True, False])
def test_script_attends_as_the_package_does(ask, root):
    states = [(q, size) for size in range(len(SIZES)) for q in QUERIES]
    questions = [["math.attend", DATA, q, size, root] for q, size in states]
    values = torch.tensor([value for _, value in WORDS.values()], dtype=float)
    for (query, size), answer in zip(
        states, ask("self_attention", *questions), strict=True
    ):
        q, k = vectors(query, SIZES[size])
        scale = SIZES[size] ** -0.5 if root else 1.0
        expected = scaled_dot_product_attention(
            q, k, values, scale=scale, need_weights=True
        )
        found = {name: torch.tensor(answer[name], dtype=float) for name in answer}
        near = {"rtol": 0, "atol": 0.002}  # data are rounded to three places
        torch.testing.assert_close(found["scores"], (scale * q @ k.T)[0], **near)
        torch.testing.assert_close(found["weights"], expected.weights[0], **near)
        torch.testing.assert_close(found["output"], expected.values[0], **near)


def test_script_weighs_as_the_package_does(ask):
    scores = 5 * torch.randn(50, len(WORDS), dtype=float)
    answers = ask("self_attention", *(["math.softmax", row] for row in scores.tolist()))
    torch.testing.assert_close(
        torch.tensor(answers, dtype=float), scores.softmax(dim=-1), rtol=0, atol=1e-6
    )


def test_first_picture_is_the_package(ask):
    query, size = list(self_attention.QUERY), self_attention.SIZE
    [answer] = ask("self_attention", ["math.attend", DATA, query, size, True])
    scores, weights, output = attend(query, SIZES[size], root=True)
    torch.testing.assert_close(answer["scores"], scores.tolist(), rtol=0, atol=1e-6)
    torch.testing.assert_close(answer["weights"], weights.tolist(), rtol=0, atol=1e-6)
    torch.testing.assert_close(answer["output"], output.tolist(), rtol=0, atol=1e-6)


def test_script_measures_weights_as_their_derivative_does(ask):
    weights = torch.randn(30, len(WORDS), dtype=torch.float64).mul(3).softmax(dim=-1)
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


def test_foot_of_a_key_has_the_score_of_the_key(ask):
    pairs = [(query, key) for query in QUERIES for key, _ in WORDS.values()]
    feet = ask("self_attention", *(["math.foot", q, key] for q, key in pairs))
    for (query, key), foot in zip(pairs, feet, strict=True):
        dot = query[0] * key[0] + query[1] * key[1]
        assert foot[0] * query[0] + foot[1] * query[1] == pytest.approx(dot)
        assert foot[0] * query[1] == pytest.approx(foot[1] * query[0])
        assert self_attention.find_foot(query, key) == pytest.approx(foot)


def test_query_keeps_its_direction_and_stays_in_the_plane(ask):
    pulled = [[9, 0], [-3, 4], [0.03, -0.04], [0, 0]]
    answers = ask("self_attention", *(["math.clamp", query] for query in pulled))
    expected = [[2.5, 0], [-1.5, 2], [0.03, -0.04], [0, 0]]
    for answer, wanted in zip(answers, expected, strict=True):
        assert answer == pytest.approx(wanted)


def test_query_of_no_length_has_its_feet_in_the_middle(ask):
    assert ask("self_attention", ["math.foot", [0, 0], [2.0, 1.0]]) == [[0, 0]]


def test_chance_has_chosen_among_1024_features_unless_scores_are_divided():
    for query in QUERIES:
        hard, soft = (attend(query, 1024, root=root)[1] for root in (False, True))
        assert list(WORDS)[hard.argmax()] == "desert"
        assert float(hard.max()) > 0.995
        assert float(soft.max()) < 0.5
    ways = [attend(query, 1024, root=True)[1] for query in ([2.5, 0.0], [-2.5, 0.0])]
    assert float((ways[0] - ways[1]).abs().max()) > 0.05


def test_corners_hold_every_value():
    values = [value for _, value in WORDS.values()]
    corners = [values[i] for i in self_attention.HULL]
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
        for x, y in values:
            assert (c - a) * (y - b) - (d - b) * (x - a) >= 0


def test_area_of_a_dot_grows_with_its_weight():
    radii = [self_attention.find_radius(weight) for weight in (0, 0.25, 1)]
    least = radii[0]
    assert [(r - least) ** 2 for r in radii] == pytest.approx([0, 36, 144])


def test_words_tell_the_numbers_of_the_table():
    explorer = self_attention.show()
    told = re.findall(r"(\w+) (\d+) %", explorer.readout)
    shown = dict(
        zip(WORDS, re.findall(r'weight-\d">([\d.]+)', explorer.stage), strict=True)
    )
    assert [float(share) / 100 for _, share in told] == [
        float(shown[word]) for word, _ in told
    ]
