"""Long lines of code may wrap on a phone, and the code stays as it was written."""

import re

from bookkit.checking.facts import facts
from bookkit.publishing.long_lines import LONG, mark_line, wrap_code

CODE = (
    '<div class="highlight-{}"><div class="highlight"><pre><span></span>{}</pre></div>'
)
WIDE = '<span class="n">x</span> = ' + "1 + " * 9 + "1"


def words(page):
    return re.sub("<[^>]*>", "", page)


def test_only_long_lines_stand_in_a_part_of_their_own():
    found = wrap_code(CODE.format("ipython3 notranslate", f"a = 1\n{WIDE}\n\nb\n"))
    assert '<pre class="wraps"><span></span>a = 1\n<span class="line"' in found
    assert found.count('class="line"') == 1


@facts("language, wraps", [("sh", True), ("text", False)])
def test_commands_may_wrap_and_drawings_in_letters_may_not(language, wraps):
    found = wrap_code(CODE.format(f"{language} notranslate", f"{WIDE}\n"))
    assert ('<pre class="wraps">' in found) is wraps


def test_the_code_stays_letter_for_letter():
    page = CODE.format("python notranslate", f"def f():\n    {WIDE}\n\n        &lt;\n")
    assert words(wrap_code(page)) == words(page)


@facts(
    "code, rows",
    [
        ("seen = mean(one, two, three, four, five)", []),
        (
            "words = torch.Generator().manual_seed(seed)",
            ["torch.", "Generator(", ").", "manual_seed(", "seed)"],
        ),
        (
            "        x = counts[first]=table[second,third]",
            ["counts[", "first]=", "table[", "second,", "third]"],
        ),
        ("rate = 0.00012345678901234567890123456789", []),
    ],
)
def test_what_has_no_room_breaks_behind_a_sign(code, rows):
    found = mark_line(code)
    assert words(found) == code
    parts = words(found.replace("<wbr>", "|")).split()[-1].split("|")
    assert parts == (rows or [code.split()[-1]])


def test_a_break_stands_behind_a_letter_that_html_writes_otherwise():
    line = (
        '<span class="s">&quot;' + "a" * 20 + "</span>(&lt;<b>.</b>name_of_a_thing)\n"
    )
    assert mark_line(line).endswith(
        "</span>(<wbr>&lt;<b>.<wbr></b>name_of_a_thing)\n</span>"
    )


@facts("indent", [0, 4, 12])
def test_a_line_knows_its_indent_and_keeps_it(indent):
    found = mark_line(" " * indent + WIDE)
    assert f"--indent: {indent}ch" in found
    assert words(found).startswith(" " * indent + "x")


@facts(
    "line, is_long",
    [
        ("x" * LONG + "\n", False),
        ("x" * (LONG + 1), True),
        ("&lt;" * LONG, False),
        (f'<span class="{"n" * LONG}">x</span>', False),
    ],
)
def test_a_line_is_long_by_the_letters_that_a_reader_sees(line, is_long):
    assert (mark_line(line) != line) is is_long


@facts(
    "page",
    [
        CODE.format("ipython3", "a = 1\n"),
        CODE.format("myst-ansi", WIDE),
    ],
)
def test_short_code_and_outputs_are_left_as_they_are(page):
    assert wrap_code(page) == page


def test_blocks_are_judged_one_by_one():
    short = CODE.format("ipython3", "a = 1\n")
    assert wrap_code(short + CODE.format("ipython3", WIDE)).startswith(short)


@facts(
    "code, kept",
    [
        (
            '<b class="n-n">exp</b>(<span class="o">-</span><span class="n">x</span>)',
            "-x",
        ),
        ('y<span class="o">=-</span><span class="p">(</span>x)', "=-("),
        ("--only low-rank", "--o|-r"),
        ('<span class="o">-</span><span class="mi">1</span> - 2 -&gt; -3', "-&gt;"),
    ],
)
def test_a_minus_stays_with_what_it_stands_before(code, kept):
    found = mark_line(f"{code} {'and ' * 12}")
    assert words(found) == words(f"{code} {'and ' * 12}")
    whole = re.findall(r'<span class="keep">((?:<span[^>]*>[^<]*</span>|[^<])*)', found)
    assert "|".join(map(words, whole)) == kept


def test_a_numbered_line_goes_on_further_in_than_its_code_begins():
    number = '<span class="linenos"> 28</span>'
    found = mark_line(f"{number}    {'x + ' * 9}1\n")
    assert found.startswith('<span class="line" style="--indent: 7ch">')
