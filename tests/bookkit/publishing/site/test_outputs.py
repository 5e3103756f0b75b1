"""Outputs of a page: lines may wrap on a phone, and columns stay as they are."""

import re
from html import unescape

from bookkit.checking.facts import facts
from bookkit.publishing.site.outputs import WIDTH, has_columns, wrap_lines

OUTPUT = (
    '<div class="output stream highlight-myst-ansi notranslate">'
    '<div class="highlight"><pre><span></span>{}</pre></div></div>'
)
SENTENCES = [
    "largest difference of the two dogs: 0.0000",
    "3 words, the mean is tensor([1.0000, 0.3333])\n7 words, the mean is tensor([0.4])",
    "scores:       tensor([0., 2., 2.])\nexponentials: tensor([1.0000, 7.3891])",
    "on the beach.  They'll go!  And the old\n    man looked.  So he went",
    "other tokens, of 1,000: 0 0 0 0 0",
    "width 1: 0.140, 0.52 a word\nwidth 2: 0.189, 0.57 a word",
    "",
]
TABLES = [
    "logit  share  token\n 23.2 0.2424  '.'",
    "bank becomes tensor([[1.9926, 0.0025],\n        [0.5000, 0.5000]])",
    "             rotary  learned\nlast column   2.38 2.28\nlast token    0 0",
]


@facts("text", SENTENCES)
def test_a_text_is_no_table(text):
    assert not has_columns(text)


@facts("text", TABLES)
def test_columns_are_a_table(text):
    assert has_columns(text)


def test_each_line_of_a_text_stands_in_a_part_of_its_own():
    found = wrap_lines(OUTPUT.format("one &lt; two\n\nthree\n"))
    assert (
        '<pre class="wraps"><span></span><span class="line">one &lt; two\n</span>'
        in found
    )
    assert found.count('class="line"') == 3


FLOWING = (
    "greedy: … and I was going to the gym, but I had to leave. I was to\n"
    "    leave &quot;the gym&quot;, but I had to go, and so I did\n"
)


def test_a_text_that_was_wrapped_is_one_part():
    assert len(unescape(FLOWING).split("\n")[0]) == WIDTH
    [part] = re.findall(r'<span class="[^>]*>[^<]*', wrap_lines(OUTPUT.format(FLOWING)))
    assert part == f'<span class="line flows">{FLOWING}'


def test_what_an_exercise_says_in_two_lines_is_one_part():
    said = f"Not yet: {'more and ' * 7}more\nmore, and what comes last?\n"
    found = wrap_lines(OUTPUT.format(f"{said}row 2\n"))
    assert f'<span class="line flows">{said}</span><span class="line">row 2' in found


@facts(
    "start, end, flows",
    [
        ("has rank 1", "only?", True),
        ("of which", "`loss` is one?", True),
        ("has rank 1", "or?", False),
        ("as one-", "sided?", False),
    ],
)
def test_a_hint_that_has_no_room_goes_on_whatever_its_words(start, end, flows):
    said = f"{'Not yet: ':x<75}"[: 76 - len(start)] + f"{start}\n{end}\n"
    assert ('class="line flows"' in wrap_lines(OUTPUT.format(said))) is flows


@facts("end", ["  row 2\n", "    \n", "rank 7\n", "    I go\n"])
def test_other_lines_stay_apart(end):
    first = FLOWING.split("\n")[0].removesuffix(" to") + "\n"
    found = wrap_lines(OUTPUT.format(first + end))
    assert found.count('<span class="line">') == 2


def test_the_text_stays_letter_for_letter():
    page = OUTPUT.format('a <span class="-Color">red</span>\nb')
    texts = [re.sub("<[^>]*>", "", body) for body in (page, wrap_lines(page))]
    assert texts[0] == texts[1]


def test_code_is_left_as_it_is():
    page = (
        '<div class="highlight-python"><div class="highlight"><pre>x</pre></div></div>'
    )
    assert wrap_lines(page) == page


@facts(
    "table, letters",
    [
        ("name  size  rate\na     1     2\n", 16),
        ("a &lt;  b &lt;  c\nd    e    f\n", 11),
        ('a  <b class="-Color">b</b>  c\nd  e  f\n', 7),
        ("tensor([[1.9926, 0.0025],\n        [0.5000, 0.5000]])\n", 26),
    ],
)
def test_a_table_keeps_its_text_and_says_how_wide_it_is(table, letters):
    found = wrap_lines(OUTPUT.format(table))
    assert table in found
    assert f'<pre class="columns" style="--columns: {letters}">' in found


def test_outputs_side_by_side_are_judged_one_by_one():
    table, text = OUTPUT.format("a  b\nc  d\n"), OUTPUT.format("text\n")
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


@facts("text", [VECTORS, CHANGE, SHARES, "one row of  two  columns\n"])
def test_what_has_no_columns_wraps(text):
    assert not has_columns(text)
    assert '<pre class="wraps">' in wrap_lines(OUTPUT.format(text))
