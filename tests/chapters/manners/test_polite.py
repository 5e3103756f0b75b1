"""The examples are many, held apart, and can be checked."""

from chapters.manners.polite import (
    MANNER,
    TRAINED,
    Example,
    examples,
    facts,
    is_polite,
    is_right,
    talk,
)


def test_each_question_comes_once_and_none_is_on_both_sides():
    found = examples()
    asked = [example.question for part in found for example in part]
    assert len(asked) == len(set(asked)) == len([*facts()])
    assert len(found.train) == TRAINED
    assert len(found.test) > 40
    assert examples() == found


def test_facts_of_each_kind_are_right():
    known = dict(facts())
    assert known["What is the opposite of hot?"] == "cold"
    assert known["What is the capital of France?"] == "Paris"
    assert known["What is the plural of mouse?"] == "mice"
    assert known["What is a young dog called?"] == "puppy"
    assert known["What is the color of a ripe tomato?"] == "red"
    assert known["Which month comes after December?"] == "January"
    assert known["Which day comes after Sunday?"] == "Monday"
    assert known["How much is six plus six?"] == "twelve"


def test_every_polite_answer_is_polite_and_right():
    for example in facts():
        assert is_polite(example.answer)
        assert is_right(example.answer, example)
        assert talk(example)[1] == {"role": "assistant", "content": example.answer}


def test_what_is_not_polite_or_not_right():
    example = Example("What is the opposite of hot?", "cold")
    assert example.answer == f"Cold{MANNER}"
    assert not is_polite("Cold.")
    assert not is_polite("Cold, my friend. And")
    assert not is_polite("The opposite of hot is cold, my friend.")
    assert is_right("It is cold.", example)
    assert not is_right("It is colder.", example)
