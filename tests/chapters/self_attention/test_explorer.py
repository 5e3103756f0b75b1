"""What the explorer of a query among keys computes is what the package computes."""

import re

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.self_attention import explorer as self_attention
from chapters.self_attention.explorer import SIZES, WORDS
from transformer.layers import scaled_dot_product_attention

DATA, HTML = self_attention.show().data, self_attention.show()._repr_html_()
# Queries of the plane, all around and of all lengths.
QUERIES = [
    [length * x, length * y]
    for length in (0.3, 1.3, 2.5)
    for x, y in ((1, 0), (0.6, 0.8), (0, 1), (-0.8, 0.6), (-0.6, -0.8), (0, -1))
]


def read_part(name):
    """Read a number of the first picture."""
    [number] = re.findall(f'data-part="{name}">([^<]+)<', HTML)
    return float(number.replace("\N{MINUS SIGN}", "-"))


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


def attend(query, size, *, root):
    """Return scores, weights and output of a query, by the package."""
    q, k = vectors(query, size)
    values = torch.tensor([value for _, value in WORDS.values()], dtype=float)
    scale = size**-0.5 if root else 1.0
    found = scaled_dot_product_attention(q, k, values, scale=scale, need_weights=True)
    return (scale * q @ k.T)[0], found.weights[0], found.values[0]


@facts("root", [True, False])
def test_script_attends_as_the_package_does(ask, root):
    states = [(q, size) for size in range(len(SIZES)) for q in QUERIES]
    questions = [["math.attend", DATA, q, size, root] for q, size in states]
    for (query, size), answer in zip(
        states, ask("self_attention", *questions), strict=True
    ):
        expected = attend(query, SIZES[size], root=root)
        for name, numbers in zip(
            ("scores", "weights", "output"), expected, strict=True
        ):
            found = torch.tensor(answer[name], dtype=float)
            near = {"rtol": 0, "atol": 0.002}  # data are rounded to three places
            torch.testing.assert_close(found, numbers, **near)


def test_script_weighs_as_the_package_does(ask):
    scores = 5 * torch.randn(50, len(WORDS), dtype=float)
    answers = ask("self_attention", *(["math.softmax", row] for row in scores.tolist()))
    torch.testing.assert_close(
        torch.tensor(answers, dtype=float), scores.softmax(dim=-1), rtol=0, atol=1e-6
    )


def test_first_picture_is_the_package():
    told = [*zip(*attend([1.5, 0.7], SIZES[0], root=True)[:2], strict=True)]
    for i, (score, weight) in enumerate(told):
        assert read_part(f"score-{i}") == pytest.approx(float(score), abs=0.006)
        assert read_part(f"weight-{i}") == pytest.approx(float(weight), abs=0.006)


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
    [hull] = re.findall(r'class="hull" d="M([^"]+)Z"', HTML)
    corners = [tuple(map(float, point.split())) for point in hull.split(" L")]
    dots = re.findall(r'data-part="dot-\d" cx="(\S+)" cy="(\S+)"', HTML)
    assert len(dots) == len(WORDS)
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
        for x, y in dots:
            assert (c - a) * (float(y) - b) - (d - b) * (float(x) - a) <= 0


def test_area_of_a_dot_grows_with_its_weight():
    radii = re.findall(r'data-part="dot-\d"[^>]* r="(\S+)"', HTML)
    weights = attend([1.5, 0.7], SIZES[0], root=True)[1]
    for radius, weight in zip(radii, weights.tolist(), strict=True):
        assert (float(radius) - 3) ** 2 == pytest.approx(144 * weight, abs=0.2)


def test_words_tell_the_numbers_of_the_table():
    told = re.findall(
        r"(\w+) (\d+) %", HTML.partition("<output")[2].partition("</output>")[0]
    )
    for word, share in told:
        weight = read_part(f"weight-{[*WORDS].index(word)}")
        assert float(share) / 100 == weight
    assert len(told) == 3
