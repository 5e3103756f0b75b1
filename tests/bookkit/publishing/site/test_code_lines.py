"""Long lines of code may wrap on a phone, and the code stays as it was written."""

from bookkit.publishing.site.outputs import mark_line, wrap_code

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
