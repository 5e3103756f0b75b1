"""A page says of an answer what `check` says of it in a notebook."""

import json
import math
import random
import runpy
from itertools import product
from pathlib import Path

import pytest
import torch

from bookkit.book.files import find_root
from chapters.exercises import Property, by_hand, check, exercises
from chapters.fields import compile_one, compiled, fields
from chapters.forms import Form, form_of_rows, right_where, shaped
from chapters.readings import plain
from chapters.regions import Band, Computed, about, either, every, numbers_of

pytestmark = pytest.mark.usefixtures("untyped")

SCRIPT = find_root(Path(__file__)) / "book/_static/answers.js"
FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
CASES = [
    case[:2]
    for path in FILES
    for kind, cases in runpy.run_path(str(path)).items()
    if kind in ("RIGHT", "WRONG")
    for case in cases
]
WITHOUT = {"ex-sentence-order"}  # a matrix of nine rows and nine columns
LOST = "is no number"  # told first, where `check` may miss another thing before
RANDOM = 40  # answers for each exercise
TEXTS = (
    """
3|.5|-0.5|1e-3|4.941e-4|2/3|-2/3|44%|44 %|2x|\N{MULTIPLICATION SIGN}2|1,024|12 000|64k
1.5M|2b|1/√3|√ 2|√(2)|sqrt(5)/3|exp(-1)|e|2^10|2**-2|-2**2|2**3**2|(4/3)**2|3·0.1192|+3
2 sqrt(2)|3ln(2)|"7"|7.|(7)|1 + 2*3|8/2/2|8-2-2|\N{MINUS SIGN}7|\N{EN DASH}7|1/0|ln(0)|x
sqrt(-1)|0.1+0.2|2.9999999999999996|1,02|0,01|2 or 3|one|--3|2*(3+4)|2**65|2**|1/(2|)(|%
k|100,000.5|((1))|.25e1|1.e2|3 4
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.fixture(scope="module")
def known():
    return compiled()


@pytest.fixture
def page(run_script):
    """Ask the script of a page: a question is the name of a function and arguments."""

    def ask(questions):
        return run_script(
            f"{SCRIPT.read_text('utf-8')}\nconst asked = {json.dumps(questions)};"
            "console.log(JSON.stringify(asked.map("
            "([name, ...given]) => bookAnswers[name](...given))));"
        )

    return ask


@pytest.fixture
def said(capsys):
    """Return what `check` prints in one line."""

    def run(label, answer):
        check(label, *answer)
        return " ".join(capsys.readouterr().out.split())

    return run


def texts_of(label, answer):
    """Return what a reader would type into the fields for an answer of a test.

    None stands for what the fields do not allow.
    """
    form = fields()[label]
    if any(map(callable, answer)):
        return None
    parts = parts_of(form, plain(answer))
    if parts is None or len(parts) != len(form.parts):
        return None
    texts = [_text(part) for part in parts]
    for part, text in zip(form.parts, texts, strict=True):
        if text is None or (isinstance(part, set) and text not in map(str, part)):
            return None
    return texts


def parts_of(form, answer):
    """Return what stands in each field of a form for an answer; None if none can."""
    if form.answer(*form.parts) == form.parts:
        return answer
    if any(isinstance(part, set) for part in form.parts):  # pairs of places
        pairs = [tuple(pair) for pair in answer[0] if is_row(pair)]
        chosen = dict(pair for pair in pairs if len(pair) == 2)
        parts = [chosen.get(place, "none") for place in range(len(form.parts))]
        same = len(pairs) == len(answer[0]) and form.answer(*parts) == (pairs,)
        return parts if same else None
    if len(answer) == 1:
        is_matrix = is_row(answer[0]) and all(map(is_row, answer[0]))
        return answer[0] if is_matrix else None
    numbers = [*numbers_of(answer)]
    sizes = [len(part) if isinstance(part, list) else 1 for part in form.parts]
    if len(numbers) != sum(sizes):
        return None
    rows = [[numbers.pop(0) for _ in range(size)] for size in sizes]
    return [row if len(row) > 1 else row[0] for row in rows]


def is_row(part):
    return isinstance(part, tuple | list)


def _text(part):
    part = plain(part)
    if is_row(part):
        inner = [_text(one) for one in part]
        words = any(isinstance(one, str) for one in part)
        return (" " if words else ", ").join(inner) if all(inner) else None
    return str(part) if isinstance(part, str | bool) else repr(part)


def test_a_page_says_what_check_says_of_all_answers_of_the_tests(page, said, known):
    tried = [
        (label, answer, texts_of(label, answer))
        for label, answer in CASES
        if label in known
    ]
    tried = [case for case in tried if case[2] is not None]
    told = page([["answerTo", known[label], texts] for label, _, texts in tried])
    unlike = [
        (label, texts, here, there)
        for (label, answer, texts), here in zip(tried, told, strict=True)
        if here != (there := said(label, answer)) and LOST not in here
    ]
    assert not unlike
    assert len(tried) > 700
    assert {label for label, _, _ in tried} == {*known}


def draw(label, chance):
    """Draw an answer, as texts: some parts right, some near, some anything."""
    return [_drawn(part, chance) for part in fields()[label].parts]


def _drawn(part, chance):
    if isinstance(part, set):
        return chance.choice(sorted(map(str, part)))
    if isinstance(part, tuple | list):
        is_near = chance.random() < 0.5  # or else one number is drawn
        drawn = [_drawn(one, chance) if is_near else repr(float(one)) for one in part]
        place = chance.randrange(len(part))
        drawn[place] = _drawn(part[place], chance)
        return ", ".join(drawn)
    if isinstance(part, str):
        return chance.choice([part, part.title(), f" {part}.", "another"])
    near = part + chance.choice([0, 0, 1, -1]) * 10 ** chance.uniform(-8, 1)
    digits = chance.choice([2, 3, 17])
    return chance.choice(
        [repr(float(part)), f"{near:.{digits}g}", f"{near * 100:.9g}%"]
    )


def as_given(form, texts):
    """Return texts as a reader would hand them to `check`."""
    return form.answer(
        *(
            text.split(", ") if isinstance(part, tuple | list) else text
            for part, text in zip(form.parts, texts, strict=True)
        )
    )


def test_a_page_says_what_check_says_of_random_answers(page, said, known):
    chance = random.Random(0)
    tried = [(label, draw(label, chance)) for label in known for _ in range(RANDOM)]
    told = page([["answerTo", known[label], texts] for label, texts in tried])
    forms = fields()
    unlike = [
        (label, texts, here, there)
        for (label, texts), here in zip(tried, told, strict=True)
        if here != (there := said(label, as_given(forms[label], texts)))
    ]
    assert not unlike
    assert sum(here.startswith("Not yet") for here in told) > len(told) / 3
    assert sum(not here.startswith("Not yet") for here in told) > len(told) / 20


SPELLINGS = (" {}. ", '"{}"', "({})", "{}*2/2", "+{}", "`{}`:", "{}x")


def spelled(part, spelling):
    """Return a right number, a row of them or a word, as one may also write it."""
    if isinstance(part, tuple | list):
        return ", ".join(spelled(one, spelling) for one in part)
    if isinstance(part, str):
        return f' *"{part.title()}"*. '
    text = repr(part if isinstance(part, int) else float(part))
    text = text.replace("-", "\N{MINUS SIGN}")
    return text if part < 0 and "+" in spelling else spelling.format(text)


def test_a_right_answer_passes_in_every_spelling_in_both(page, said, known):
    forms = {
        label: form
        for label, form in fields().items()
        if not any(isinstance(part, set) for part in form.parts)
    }
    tried = [
        (label, [spelled(part, spelling) for part in form.parts])
        for label, form in forms.items()
        for spelling in SPELLINGS
    ]
    told = page([["answerTo", known[label], texts] for label, texts in tried])
    refused = [
        (label, texts, here, there)
        for (label, texts), here in zip(tried, told, strict=True)
        if here != (there := said(label, as_given(forms[label], texts)))
        or here.startswith("Not yet")
    ]
    assert not refused
    assert len(tried) > 300


def test_numbers_are_read_as_in_a_notebook(page):
    here = page([["readNumber", text] for text in TEXTS])
    there = [_number(text) for text in TEXTS]
    unlike = [
        row for row in zip(TEXTS, here, there, strict=True) if not _same(*row[1:])
    ]
    assert not unlike
    assert sum(value is None for value in here) > 12


def _number(text):
    from chapters.written import bare_word

    value = plain(bare_word(text))
    return value if isinstance(value, int | float) else None


def _same(here, there):
    if here is None or there is None:
        return here is there
    return here == pytest.approx(there, rel=1e-14, abs=0)


def test_what_is_no_number_is_named(page, known):
    [told] = page([["answerTo", known["ex-rotary-by-hand"], ["7", "two", "7"]]])
    assert told == ("Not yet: 'two' is no number; write one such as -0.5, 2/3 or 44%.")


def test_a_row_of_numbers_is_cut_and_counted(page):
    two = compile_one([Property("two.", lambda row: len(row) == 2)], ([1, 2],))
    texts = ["1, 2", "[1 2]", "(1; 2)", "1, 2, 3", "1"]
    found = page([["judge", two, [text]] for text in texts])
    assert [one["missing"] for one in found] == [-1, -1, -1, 0, 0]


REGION = either(
    (about(1, 0, to=3, within=0.5),), (about(1, -1), Band((0, 1), low=10, high=20))
)


def test_a_region_is_the_same_in_both(page):
    exercise = compile_one([Property("there.", REGION)], (3, 0))
    pairs = list(product([3, 3.6, 9, 12, 20, 21], repeat=2))
    found = page([["judge", exercise, [str(x), str(y)]] for x, y in pairs])
    here = [one["missing"] == -1 for one in found]
    assert here == [REGION(x, torch.tensor(y)) for x, y in pairs]
    assert here == [abs(x - 3) <= 0.5 or (x == y and 10 <= y <= 20) for x, y in pairs]


def test_a_region_is_as_narrow_for_tensors():
    above_zero = every(Band((1,), low=math.ulp(0.0)))
    assert not above_zero(torch.tensor([0.0], dtype=torch.float32))
    assert above_zero(torch.tensor([1e-30], dtype=torch.float32))


def test_a_region_may_ask_for_whole_numbers(page):
    whole = every(Band((1, 0), low=1), whole=True)
    assert whole(1, 2.0)
    assert not whole(1.5, 2)
    exercise = compile_one([Property("whole.", whole)], (1, 2))
    found = page([["judge", exercise, given] for given in (["1", "2"], ["1.5", "2"])])
    assert [one["missing"] for one in found] == [-1, 0]


def test_a_wrong_answer_among_the_fields_is_refused():
    near = [Property("near one.", lambda value: abs(value - 1) < 0.1)]
    with pytest.raises(ValueError, match=r"FIELDS must hold a right answer, got 2\.0"):
        compile_one(near, (2,))


def test_an_exercise_without_code_has_fields():
    coded = {label for label, answer in CASES if any(map(callable, answer))}
    asked = {*exercises()} - coded | {*by_hand()}
    unlike = asked ^ ({*fields()} | WITHOUT)
    assert not unlike, f"{unlike} must have FIELDS in their answers.py if without code"


MATRIX = [[1, 0, 5], [0, 2, 0]]


def test_a_matrix_has_a_field_for_each_row(page):
    small = [
        Property("two rows.", shaped(MATRIX)),
        Property("a diagonal.", right_where(MATRIX, lambda row, column: row == column)),
        Property("a corner.", right_where(MATRIX, within=0.1)),
    ]
    exercise = compile_one(small, form_of_rows(MATRIX))
    assert [field["name"] for field in exercise["fields"]] == ["row 1", "row 2"]
    given = ["1, 0, 5", "1 0", "1 0 5 0", "1 0 4.95", "1 0 4.8", "0 0 5", "9 9 9"]
    found = page([["judge", exercise, [first, "0 2 0"]] for first in given])
    assert [one["missing"] for one in found] == [-1, 0, 0, -1, 2, 1, 1]
    assert shaped(MATRIX)(torch.tensor(MATRIX))
    assert not any(map(shaped(MATRIX), ([1, 0, 5], [MATRIX], [[1, 0], [2]], "x")))


XOR = Computed((("relu(n0 - 1) * n1 ** 2 - n2 / 4", 7), ("-n1 + relu(-2 * n0)", -1)))


def test_a_formula_is_the_same_in_both(page):
    exercise = compile_one([Property("seven.", XOR)], (9, 1, 4))
    rows = list(product([9, 5, -3, 0], [1, 2, -1], [4, -8, 0.5]))
    found = page([["judge", exercise, list(map(str, row))] for row in rows])
    here = [one["missing"] == -1 for one in found]
    assert here == [XOR(*row) for row in rows]
    assert here == [
        max(x - 1, 0) * y**2 - z / 4 == 7 and max(-2 * x, 0) - y == -1
        for x, y, z in rows
    ]
    assert any(here)


def test_no_reader_can_name_what_formulas_name(page):
    texts = ["relu(2)", "n0", "2*n1", "constructor(1)", "toString", "sqrt", "exp"]
    assert page([["readNumber", text] for text in texts]) == len(texts) * [None]
    assert all(isinstance(plain(text), str) for text in texts)


def test_fields_may_make_one_answer(page):
    words = Form(2 * ({"none", 0, 1},), ("a", "b"), lambda *both: ([*both],))
    exercise = compile_one([Property("two.", lambda both: both == [1, "none"])], words)
    given = list(product(("0", "1", "none"), repeat=2))
    found = page([["judge", exercise, list(row)] for row in given])
    assert [one["missing"] == -1 for one in found] == [
        row == ("1", "none") for row in given
    ]
