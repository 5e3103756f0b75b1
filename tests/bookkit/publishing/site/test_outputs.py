"""Long lines of code and of outputs wrap on a phone, and columns stay."""

from bookkit.checking.facts import facts
from bookkit.publishing.site.outputs import (
    has_columns,
    mark_line,
    wrap_code,
    wrap_lines,
)

OUTPUT = (
    '<div class="output stream highlight-myst-ansi notranslate">'
    '<div class="highlight"><pre><span></span>{}</pre></div></div>'
)


def test_each_line_of_a_text_stands_in_a_part_of_its_own():
    found = wrap_lines(OUTPUT.format("one &lt; two\n\nthree\n"))
    assert (
        '<pre class="wraps"><span></span><span class="line">one &lt; two\n</span>'
        in found
    )
    assert found.count('class="line"') == 3


def test_what_an_exercise_says_in_two_lines_is_one_part():
    said = f"Not yet: {'more and ' * 7}more\nmore, and what comes last?\n"
    found = wrap_lines(OUTPUT.format(f"{said}row 2\n"))
    assert f'<span class="line flows">{said}</span><span class="line">row 2' in found


def test_outputs_side_by_side_are_judged_one_by_one():
    table, text = OUTPUT.format("[[1],\n [2]]\n"), OUTPUT.format("text\n")
    assert wrap_lines(table + text) == wrap_lines(table) + wrap_lines(text)


VECTORS = (
    "from 0 on, the third: tensor([-1.4973, -0.5256,  0.7591,  1.2759])\n"
    "from 1000 on, the third: tensor([-1.4973, -0.5256,  0.7591,  1.2759])\n"
)
CHANGE = (
    "-    def decode(self, target, memory, not_pad):\n"
    "-        not_pad = (source != PAD)[:, None, None, :]  # (batch, 1, 1, time)\n"
    "+        return self.decode(target, self.encode(source, not_pad), not_pad)\n"
)
SHARES = (
    "story: embedding 0.0002, layers 1 to 20 0.025, 21 to 29 0.725, layer 30 0.250\n"
    "facts: embedding 0.0003, layers 1 to 20 0.026, 21 to 29 0.727, layer 30 0.247\n"
)


STEPS = f"step 1: {'a' * 31}\nstep 50: {'b' * 31}\nstep 9: c\n"  # 40 letters
MATRIX = "tensor([[0.5000, 0.5000, 0.2500, 0.2500],\n        [1., 2., 3., 4.]])\n"


@facts("text", [STEPS, MATRIX])
def test_rows_of_a_matrix_and_rows_that_nearly_fit_are_set_smaller(text):
    letters = max(map(len, text.splitlines()))
    columns = f'<pre class="columns" style="--columns: {letters}">'
    assert columns in wrap_lines(OUTPUT.format(text))


NEAR = STEPS.partition("step 9")[0]
WIDER, FITTING = STEPS.replace("b", "b.", 1), STEPS.replace("a" * 5 + "\n", "\n")
FITTING = FITTING.replace("b" * 6 + "\n", "\n")


@facts(
    "text",
    [VECTORS, CHANGE, SHARES, NEAR, WIDER, FITTING, "one row of  two  columns\n"],
)
def test_what_has_no_columns_wraps(text):
    assert not has_columns(text)
    assert '<pre class="wraps">' in wrap_lines(OUTPUT.format(text))


CODE = (
    '<div class="highlight-{}"><div class="highlight"><pre><span></span>{}</pre></div>'
)
WIDE = '<span class="n">x</span> = ' + "1 + " * 9 + "1"


def test_a_break_stands_behind_a_letter_that_html_writes_otherwise():
    line = (
        '<span class="s">&quot;' + "a" * 20 + "</span>(&lt;<b>.</b>name_of_a_thing)\n"
    )
    assert mark_line(line).endswith(
        "</span>(<wbr>&lt;<b>.<wbr></b>name_of_a_thing)\n</span>"
    )


def test_blocks_are_judged_one_by_one():
    short = CODE.format("ipython3", "a = 1\n")
    assert wrap_code(short + CODE.format("ipython3", WIDE)).startswith(short)
