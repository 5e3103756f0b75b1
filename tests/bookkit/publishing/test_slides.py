"""Slides of a chapter hold its figures, their captions and its summary."""

import re
from base64 import b64decode

import pytest
from nbformat.v4 import new_output

from bookkit.__main__ import main

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="7"/>'
EXPLORER = '<div class="explorer" data-explorer="moved"><script>"&"</script></div>'


@pytest.fixture
def slides(write_chapter, code, monkeypatch, book):
    """The slides of a small chapter, each as HTML."""

    def drawing(source, data, **metadata):
        cell = code(source, **metadata)
        cell.outputs = [new_output("display_data", data)]
        return cell

    plain = drawing("a", {"image/svg+xml": SVG}, mystnb={"image": {"alt": "A <line>"}})
    write_chapter(
        "# Waves\n\n**Why waves?**\n\nMore.\n\n> **At a glance**",
        "## First",
        plain,
        '<a id="fig-a"></a>\n**Figure 1.1.** It divides by $\\sqrt{d}$.',
        "## Second",
        drawing("b", {"text/html": EXPLORER}),
        '<a id="fig-b"></a>\n**Figure 1.2.** See [there](#fig-a).',
        "## Deeper: a proof",
        drawing("c", {"image/svg+xml": SVG}),
        '<a id="fig-c"></a>\n**Figure 1.3.** Not shown.',
        "## Summary\n\n- All in one.\n\n## Further reading\n\nNo.",
    )
    monkeypatch.chdir(book)
    assert main(["slides", "book/part/chapter.ipynb"]) == 0
    page = (book / "_build/slides/chapter.html").read_text("utf-8")
    assert "<title>Waves</title>" in page
    assert "book/part/chapter" in re.search('<base href="([^"]+)">', page)[1]
    return re.findall("<section>(.*?)</section>", page, re.S)


def test_they_begin_with_the_question_and_whose_it_is(slides):
    assert "<h1>Waves</h1>" in slides[0]
    assert "<strong>Why waves?</strong>" in slides[0]
    assert "CC BY 4.0" in slides[0]


def test_a_figure_stands_below_its_section_and_above_its_caption(slides):
    before, svg, after = re.split('<img alt="A &lt;line&gt;" src="(.+?)">', slides[1])
    assert before == "<h2>First</h2>\n"
    assert b64decode(svg.removeprefix("data:image/svg+xml;base64,")).decode() == SVG
    assert "It divides by √(d)." in after


def test_an_explorer_moves_in_a_frame_of_its_own(slides):
    frame = re.search('<iframe srcdoc="([^"]*)">', slides[2])[1]
    assert "&lt;script&gt;&quot;&amp;&quot;&lt;/script&gt;" in frame
    assert '<a href="#fig-a">there</a>' in slides[2]


def test_they_end_with_the_summary_and_leave_out_what_is_deeper(slides):
    assert len(slides) == 4
    assert "All in one." in slides[3]
    assert "Not shown" not in "".join(slides)
