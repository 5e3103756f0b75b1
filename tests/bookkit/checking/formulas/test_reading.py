"""The reader of formulas: each construct has one value, and nonsense has none."""

import math

import numpy as np

from bookkit.checking.facts import facts
from bookkit.checking.formulas import Binding, Family, refutation

ROW, COLUMN, MATRIX = np.array([2.0, 3.0]), np.array([[5.0], [7.0]]), np.eye(2) * 11
NAMES = {
    "a": 2,
    "b": 3,
    "d": np.array([5.0, 7.0]),
    "d_k": 11,
    "beta_1": 13,
    "hat m": 17,
    "x": ROW,
    "y": COLUMN,
    "W": MATRIX,
    "W^Q": 2 * MATRIX,
    "M": np.array([True, False]),
    "T": [1, 2],
    "f": lambda z: 10 * z,
    "g": lambda function: function(1),
    "i": 1j,
    "F": Family(lambda n: lambda z: n * z, functions=True),
    "h": Family(lambda n: 100 + n),
    "c": Family(lambda n: np.array([n, n**2])),
    "R": Family(lambda t, i: t - i),
    "p": lambda token, given, *before: len(before),
    "dz/du": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "key heads": 6,
    "arrow": lambda value: value + 1,
}
LETTERS = {"k": range(1, 3), "n": range(1, 4), "m": range(1, 4)}

VALUES = {
    r"\frac1a + \frac{b}{4}": 1.25,
    r"\frac12": 0.5,
    r"2^10": 0,  # as TeX reads it: 2 to the power of 1, times 0
    r"a^{-b/a}": 2**-1.5,
    r"-a b^2 + a \cdot b": -12,
    r"a (b + 1)": 8,
    r"f(b + 1)": 40,
    r"2 f(a)^2": 800,
    r"1/a b": 1 / 6,
    r"\sqrt{a^4}": 4,
    r"d_2 d_k": 77,
    r"\beta_1^2": 169,
    r"\hat m": 17,
    r"h_{a+1}": 103,
    r"R_a^{(b)}": -1,
    r"F_b(a)": 6,
    r"\sum_{k=1}^{b} k^2": 14,
    r"\sum_k d_k k": 33,
    r"\sum_{k \in T} k": 3,
    r"\sum_{n > m} n m": 11,
    r"\sum_{n \,:\, n = b} a": 2,
    r"\sum_{k=1}^0 k": 0,
    r"\prod_{k=1}^{b} (k + 1)": 24,
    r"\max_k h_k": 102,
    r"\max(a, b, 1) - \min(a, b)": 1,
    r"a \ln e^a": 4,
    r"\sin a b": math.sin(6),
    r"\sin(a) b": 3 * math.sin(2),
    r"\sin a \cos b": math.sin(2) * math.cos(3),
    r"\ln \exp a b": 6,
    r"\tanh\!\left[a\right]": math.tanh(2),
    r"\mathbf{x}\mathbf{W}\mathbf{y}": 341,
    r"\mathbf{x}\mathbf{W}^Q": 22 * ROW,
    r"\mathbf{y}\mathbf{x}": COLUMN * ROW,
    r"\mathbf{x} \cdot \mathbf{x}\mathbf{W}": 143,
    r"\mathbf{x} \odot \mathbf{x} + 1": ROW**2 + 1,
    r"\mathbf{x}^\top": ROW[:, None],
    r"\mathbf{y}^\top \mathbf{y}": 74,
    r"\lVert \mathbf{y} \rVert^2": 74,
    r"\lvert -a \rvert + |b - 7|": 6,
    r"|T|": 2,
    r"\left\lfloor \frac{7}{a} \right\rfloor": 3,
    r"[M_1] + [M_2] + [a = 2]": 2,
    r"\begin{cases} a & b = 4 \\ b & \text{otherwise.} \end{cases}": 3,
    r"\begin{pmatrix} a & b \\ 1 & 0 \end{pmatrix}": np.array([[2, 3], [1, 0]]),
    r"(a, b + 1)": np.array([2, 4]),
    r"\mathbf{c}_1 + \mathbf{c}_2 + \dots + \mathbf{c}_4": np.array([10.0, 30.0]),
    r"(a + h_1) \cdots (a + h_3)": 103 * 104 * 105,
    r"(h_3 + 1) \cdots (h_1 + 1)": 102 * 103 * 104,
    r"p(a \mid b, h_1, \dots, h_4)": 5,
    r"p(a \mid b, h_1, \dots, h_{a-2})": 1,
    r"(\mathbf{x} \,\big|\, \mathbf{x})": np.array([2.0, 3, 2, 3]),
    r"\frac{\partial z_1}{\partial u_2}": 2,
    r"\underbrace{a + b}_{\text{both}} a": 10,
    r"\text{key heads} \cdot a": 12,
    r"\tfrac{b}{4}": 0.75,
    r"3{,}540": 3540,
    r"\operatorname{f}\bigl(a\bigr)": 20,
    r"h^{(b)}": 103,
    r"R_{a:b}": -1,
    r"p(\cdot \mid b)": 1,
    r"g(f)": 10,
    r"e^{\mathrm{i} \pi}": -1,
    r"\operatorname*{argmax}_{k}\ h_k": 2,
    r"[a \in T]": 1,
    r"\begin{cases} a & b = 3, a = 3 \\ b & b = 3, a = 2 \end{cases}": 3,
    r"\begin{pmatrix} a \\ \vdots \end{pmatrix}": np.array([[2]]),
    r"(\underbrace{a, b}_{\text{both}}, 1)": np.array([2, 3, 1]),
}


@facts("latex", VALUES)
def test_a_construct_has_its_value(latex):
    assert refutation(latex, Binding(NAMES, LETTERS, [VALUES[latex]])) == ""


@facts("latex", VALUES)
def test_a_construct_has_no_other_value(latex):
    value = np.asarray(VALUES[latex])
    other = value + 1e-6 * (1 + abs(value))
    assert "does not hold" in refutation(latex, Binding(NAMES, LETTERS, [other]))


@facts(
    "latex, why",
    [
        (r"a = ", "stands where"),
        (r"(a = a", "stands where"),
        (r"a = a)", "left over"),
        (r"q = 1", "nothing is known of 'q'"),
        (r"x_1 = \mathbf{x}", "compared"),
        (r"x = x", "must be bold"),
        (r"\mathbf{a} = a", "must be bold"),
        (r"d_3 = 1", "the index 3 is none of 2 from 1"),
        (r"d_{1/2} = 1", "the index 0.5"),
        (r"d_0 = 7", "the index 0"),
        (r"\mathbf{x}\mathbf{x} = 1", "two rows"),
        (r"\mathbf{x} + \mathbf{y} = 1", "is added to"),
        (r"\mathbf{x} \odot \mathbf{y} = 1", "meets"),
        (r"a / \mathbf{x} = 1", "divided by a vector"),
        (r"\mathbf{x}^2 = 1", "has an exponent"),
        (r"a^\top = a", "a number is transposed"),
        (r"\mathbf{c}_1 - \dots + \mathbf{c}_4 = \mathbf{x}", "a minus"),
        (r"f = f", "no number"),
        (r"a = \begin{cases} a & b = 4 \end{cases}", "no case is true"),
        (r"a = \begin{cases} a & a = 2 \\ b & 1 = 1 \end{cases}", "two cases are"),
        (r"h_{1:2} = a", "takes 1 positional argument"),
        (r"a + b", "no value is known"),
        (r"T = T", "no number"),
    ],
)
def test_what_makes_no_sense_is_refused(latex, why):
    assert why in refutation(latex, Binding(NAMES, LETTERS))


@facts(
    "latex, holds",
    [
        (r"a = 2, \qquad b = 3", True),
        (r"a = 2, \qquad b = 4", False),
        (r"a = 2 \text{ and so } b = 4", False),
        (r"\begin{aligned} a &= 2, \\ b &= 4 \end{aligned}", False),
        (r"\begin{aligned} b &= a \\ &\quad + 1 \end{aligned}", True),
        (r"\begin{aligned} &a + 1 \\ &\quad = b \\ &\qquad + 1 \end{aligned}", False),
        (r"\begin{aligned} &a + 1 \\ &\quad = a \\ &\qquad + 1 \end{aligned}", True),
        (r"1 < a < b", True),
        (r"1 < b < a", False),
        (r"a = a = b", False),
        (r"h_k = 100 + k, \qquad k = 1, \dots, b - 1", True),
        (r"h_k = 100 + k, \qquad k = 1, \dots, b", False),
        (r"h_k = 101", False),
        (r"a \le b \tag{7.1}", True),
        (r"a \ge b", False),
        (r"\mathbf{W} \in \mathbb{R}^{a \times 2}", True),
        (r"\mathbf{W} \in \mathbb{R}^{a \times b}", False),
        (r"3 \in T", False),
        (r"a \mapsto b", True),
        (r"b \to a", False),
        (r"\begin{aligned} a &= 2 \\ &= 3 \end{aligned}", False),
    ],
)
def test_a_formula_holds_if_each_of_its_statements_does(latex, holds):
    assert (refutation(latex, Binding(NAMES, LETTERS)) == "") is holds


def test_a_rounded_formula_holds_as_closely_as_it_is_written():
    assert refutation(r"a = 2.004", Binding(NAMES, tolerance=0.005)) == ""
    assert refutation(r"a = 2.04", Binding(NAMES, tolerance=0.005)) != ""
    assert refutation(r"a", Binding(NAMES, values=[2.004], tolerance=0.005)) == ""


def test_a_bound_that_is_attained_is_an_equation():
    attained = Binding(NAMES, attained=True)
    assert refutation(r"a + 1 \le b", attained) == ""
    assert refutation(r"a \le b", attained) != ""


def test_values_count_from_where_they_are_said_to():
    assert refutation("d_0 = 5", Binding(NAMES, first=0)) == ""


def test_every_expected_value_must_be_asked_for():
    assert "missing" in refutation("a", Binding(NAMES, values=[2, 3]))


@facts(
    "latex, told",
    [
        ("a = b", "a = b does not hold: the left side is 2, the right side 3"),
        ("a < b = a", "the left side is 3, the right side 2"),
        ("h_n = 101", "the left side is 102, the right side 101 for n = 2"),
        (
            r"\mathbf{x} = (2, 4)",
            r"\mathbf {x} = (2,4) does not hold: the left side is 3, the right side 4, "
            "at 2",
        ),
        (r"a \in (b, b)", "the left side is 2, the right side array([3, 3])"),
    ],
)
def test_what_does_not_hold_is_told_with_its_values(latex, told):
    assert refutation(latex, Binding(NAMES, LETTERS)).endswith(told)


def test_a_value_that_is_not_what_the_package_computes_is_told():
    told = refutation("a", Binding(NAMES, values=[2.004]))
    assert told == "a does not hold: it gives 2, and must give 2.004"
