"""Exercise checks name the property that fails, and never give the answer away."""

import json
import re
from types import FunctionType

import numpy as np
import pytest
import torch

from bookkit.checking.facts import facts
from chapters import exercises
from chapters.exercises import Property, check

pytestmark = pytest.mark.usefixtures("untyped")

ADD = [
    Property("one and one must make two.", lambda add: add(1, 1) == 2),
    Property("order must not matter.", lambda add: add(1, 2) == add(2, 1)),
]


@pytest.fixture
def addition(monkeypatch):
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-add": ADD})


@pytest.mark.usefixtures("addition")
@facts(
    "answer, said",
    [
        (lambda a, b: a + b, "All 2 properties hold.\n"),
        (lambda a, b: 3, "Not yet: one and one must make two.\n"),
        (lambda a, b: 2 * a, "Not yet: order must not matter.\n"),
        (
            lambda a: a,
            "Not yet: one and one must make two. (Your code stopped with TypeError:",
        ),
    ],
)
def test_the_first_missing_property_is_named(answer, said, capsys):
    check("ex-add", answer)
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.usefixtures("addition")
def test_an_unwritten_answer_is_told_apart_from_a_wrong_one(capsys):
    def starter(a, b):
        raise NotImplementedError

    check("ex-add", starter)
    assert "still raises NotImplementedError" in capsys.readouterr().out


@pytest.mark.usefixtures("addition")
def test_what_torch_cannot_do_is_no_unwritten_answer(capsys):
    def multiply_on_a_gpu(a, b):
        raise NotImplementedError("addmm is not implemented for 'Long'")

    check("ex-add", multiply_on_a_gpu)
    said = " ".join(capsys.readouterr().out.split())
    assert "starter" not in said
    assert "NotImplementedError: addmm is not implemented" in said


def add_a_name(a, b):
    a = a + 0
    return a + c  # noqa: F821


def add_a_word(a, b):
    a = a + 0
    return a + "b"


def written_in_a_cell(function):
    """Return the function as if it stood in the first lines of a cell."""
    code = function.__code__.replace(co_filename="<a cell>", co_firstlineno=1)
    return FunctionType(code, {})


@pytest.mark.usefixtures("addition")
def test_an_unknown_name_is_told_first_with_its_line(capsys):
    check("ex-add", written_in_a_cell(add_a_name))
    assert capsys.readouterr().out == (
        "Not yet: your code stopped with NameError: name 'c' is not defined, in line "
        "3.\n"
    )


@pytest.mark.usefixtures("addition")
def test_any_other_error_is_told_with_its_line(capsys):
    check("ex-add", written_in_a_cell(add_a_word))
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Not yet: one and one must make two. (Your code stopped")
    assert said.endswith("'int' and 'str', in line 3)")


@pytest.mark.usefixtures("addition")
def test_an_error_that_another_type_would_spare_is_not_told(monkeypatch, capsys):
    ones = [Property("ones.", lambda f: torch.allclose(f(), torch.ones(2).double()))]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-ones": ones})
    check("ex-ones", lambda: torch.ones(2))
    check("ex-ones", lambda: torch.zeros(2))
    assert capsys.readouterr().out == "The property holds.\nNot yet: ones.\n"


SIMILAR = r" \(.*'ex-add'\?\)"


@pytest.mark.usefixtures("addition")
@facts("label, similar", [("ex-ad", SIMILAR), ("add", SIMILAR), ("softmax", "")])
def test_an_unknown_label_is_refused_with_a_similar_one(label, similar):
    with pytest.raises(ValueError, match=f"^label .* got '{label}'{similar}; copy"):
        check(label, 1)


@facts("label, came", [(add_a_word, "function"), ([1], "list of 1"), (2.5, "2.5")])
def test_an_answer_without_its_label_is_refused(label, came):
    with pytest.raises(TypeError, match=rf"label .*got .*{came}.*check\('ex-"):
        check(label)


PAIR = [
    Property("not twice.", lambda *both: len(set(both)) == len(both)),
    Property("the mean is 1.", lambda mean, last: mean == 1),
]


@facts(
    "properties, answer, came, remedy",
    [
        (ADD, (), "one answer, got none", "pass what is missing"),
        (ADD, (add_a_word, 2), "one answer, got a function, 2", "leave"),
        (ADD, (10, 12), "one answer, got 10, 12", "one list"),
        (PAIR, (1.5,), "2 answers, mean, last, got 1.5", "pass what is missing"),
        (PAIR, (1, 2, 3), "2 answers, mean, last, got 1, 2, 3", "leave"),
        (PAIR, ((1, 2),), "got a tuple of 2 values", "one by one"),
        (PAIR, ([1, 2, 3],), "got a list of 3 values", "pass what is missing"),
    ],
)
def test_too_few_or_too_many_answers_are_counted(
    properties, answer, came, remedy, monkeypatch, capsys
):
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-count": properties})
    check("ex-count", *answer)
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("Not yet: the exercise asks for ")
    assert came in told
    assert remedy in told.split("; ")[1]


SHAPE = [Property("two rows.", lambda f: f().shape == (2,))]


@facts(
    "answer, came, what",
    [
        (lambda: (torch.ones(2), 1), "returned a tuple of 2 values", "AttributeError"),
        (lambda: None, "returned None", "return?"),
        (lambda: "two", "returned 'two'", "AttributeError"),
        (lambda: 1 / 0, "Your code stopped", "ZeroDivisionError: division by zero"),
        (torch.ones(2), "a tensor of shape (2,)", "Pass your function itself"),
    ],
)
def test_what_no_property_can_read_is_named(answer, came, what, monkeypatch, capsys):
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-shape": SHAPE})
    check("ex-shape", answer)
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("Not yet: two rows. (")
    assert came in told
    assert what in told


def test_a_value_that_no_property_can_read_is_named(monkeypatch, capsys):
    near = [Property("near one.", lambda value: abs(value - 1) < 0.1)]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-near": near})
    check("ex-near", [1, 2])
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("Not yet: near one. (What came is a list of 2 values; ")


@facts("text", ["one", "0,01", "2 or 3"])
def test_a_text_in_the_place_of_a_number_is_named(text, monkeypatch, capsys):
    near = [Property("near one.", lambda word, value: abs(value - 1) < 0.1)]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-near": near})
    check("ex-near", 2, text)
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith(f"Not yet: near one. ({text!r} is no number; ")


def test_values_that_are_yielded_serve_every_property(monkeypatch, capsys):
    both = [
        Property("two numbers.", lambda values: len(values) == 2),
        Property("the sum is 3.", lambda values: sum(values) == 3),
    ]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-both": both})
    check("ex-both", map(int, "12"))
    assert capsys.readouterr().out == "All 2 properties hold.\n"


def test_values_that_came_as_one_are_told_to_be_passed_one_by_one(monkeypatch, capsys):
    three = [Property("three numbers.", lambda *numbers: len(numbers) == 3)]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-three": three})
    check("ex-three", torch.ones(3))
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith(
        "Not yet: three numbers. (What came is a tensor of shape (3,)"
    )
    assert "one by one" in told


def test_an_array_may_be_what_a_function_returns(monkeypatch, capsys):
    one_two = torch.tensor([1.0, 2.0]).double()
    ones = [Property("ones.", lambda f: torch.equal(f(), one_two))]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-ones": ones})
    check("ex-ones", lambda: np.float32([2, 1])[::-1])
    check("ex-ones", lambda: np.float32([1, 1]))
    assert capsys.readouterr().out == "The property holds.\nNot yet: ones.\n"


def test_a_label_used_twice_is_refused(monkeypatch):
    module = type("Module", (), {"EXERCISES": {"ex-add": ADD}})
    monkeypatch.setattr(exercises, "import_module", lambda name: module)
    with pytest.raises(ValueError, match=r"used once, got 'ex-add' again in"):
        exercises.exercises()


def test_every_exercise_has_properties_that_are_sentences():
    told = [
        f"{label} must have two properties or more in its answers.py, each a sentence "
        f"in small letters with a stop, and has {[p.sentence for p in properties]}."
        for label, properties in [
            *exercises.exercises().items(),
            *exercises.by_hand().items(),
        ]
        if len(properties) < 2
        or not all(
            p.sentence[0].islower() and p.sentence.endswith((".", "?"))
            for p in properties
        )
    ]
    assert not told, "\n".join(told)


def test_every_exercise_of_the_notebooks_has_a_check_and_back(pytestconfig):
    labels = set()
    for path in (pytestconfig.rootpath / "book").glob("*/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            labels.update(re.findall(r'<a id="(ex-[a-z0-9-]+)"', text))
    alone = labels ^ {*exercises.exercises()}
    assert not alone, f"{alone} must stand on a page and in its answers.py"


def test_an_answer_without_a_function_is_that_of_the_small_case(monkeypatch, capsys):
    small = [Property("by hand, three.", lambda result: result == 3)]
    monkeypatch.setattr(exercises, "exercises", lambda: {"ex-add": ADD})
    monkeypatch.setattr(exercises, "by_hand", lambda: {"ex-add": small})
    check("ex-add", 3)
    check("ex-add", "4")
    check("ex-add", lambda a, b: 3)
    assert capsys.readouterr().out.splitlines() == [
        "The property holds.",
        "Not yet: by hand, three.",
        "Not yet: one and one must make two.",
    ]


def test_every_small_case_belongs_to_an_exercise():
    assert {*exercises.by_hand()} <= {*exercises.exercises()}
