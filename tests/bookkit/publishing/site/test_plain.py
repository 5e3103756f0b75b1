"""Plain cells become the very page that directives make, and addresses lead inside."""

import re

import nbformat
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import NARROW, SVG

LISTED = "```{toctree}\n:hidden:\nbook/p/other\nbook/text\n```"
SITE = "https://owner.github.io/book/"
FIGURE = {"caption": "What it *shows*, with $x$.", "name": "fig-a"}
PLAIN = [
    "# Page\n\nA question.\n\n> **At a glance**\n>\n> **You need** nothing.\n> Much.",
    'Let\n\n<a id="eq-a" name="eq-a"></a>\n\n$$\nx = 1\n\\tag{3.1}\n$$\n\nbe.',
    '<a id="thm-a" name="thm-a"></a>\n**Theorem 3.1 (All).** For $x$:\n\n$$\nx\n$$',
    "*Proof.* It *holds*.\n\nAnd so on. ∎",
    "See [Theorem 3.1](#thm-a), [(3.1)](#eq-a), [why](#why) and [one](#one-more).",
    None,
    '<a id="fig-a" name="fig-a"></a>\n**Figure 3.1.** What it *shows*, with $x$.',
    '<a id="why" name="why"></a>\n\n## Why $\\sqrt{x}$?\n\n> **Note**\n>\n> Mind it.',
    '<a id="one-more" name="one-more"></a>\n\n## One more\n\nText.',
    '<a id="ex-a" name="ex-a"></a>\n\n### Exercise 3.1: Count\n\nHow many?',
    "#### Solution",
    "Two.",
    "check()",
    '<a id="ex-b" name="ex-b"></a>\n\n### Exercise 3.2\n\n- Why?',
    "#### Solution",
    "So.",
    "## Summary\n\nThe end.",
]
DIRECTIVES = [
    "# Page\n\nA question.\n\n:::{admonition} At a glance\n:class: tip\n\n"
    "**You need** nothing.\nMuch.\n\n:::",
    "Let\n\n$$\nx = 1\n$$ (eq-a)\n\nbe.",
    ":::{prf:theorem} All\n:label: thm-a\n\nFor $x$:\n\n$$\nx\n$$\n\n:::",
    ":::{prf:proof}\n\nIt *holds*.\n\nAnd so on.\n\n:::",
    PLAIN[4],
    None,
    "",
    "(why)=\n## Why $\\sqrt{x}$?\n\n:::{note}\n\nMind it.\n\n:::",
    "## One more\n\nText.",
    ":::{exercise} Count\n:label: ex-a\n\nHow many?\n\n:::",
    ":::{solution-start} ex-a\n:class: dropdown\n:::",
    "Two.",
    "check()",
    ":::{solution-end}\n:::\n\n:::{exercise}\n:label: ex-b\n\n- Why?\n\n:::",
    ":::{solution-start} ex-b\n:class: dropdown\n:::",
    "So.",
    ":::{solution-end}\n:::\n\n## Summary\n\nThe end.",
]


def code(source, **metadata):
    """Make a code cell that showed something."""
    image = "<svg xmlns='http://www.w3.org/2000/svg'/>"
    shown = new_output("display_data", data={SVG: image, NARROW: image})
    return new_code_cell(source, outputs=[shown], id="code", metadata=metadata)


def notebook(cells, figure=None):
    """Write cells as a notebook: markdown, checks, and a figure for None."""
    nodes = [
        code("draw()", **({"mystnb": {"figure": figure}} if figure else {}))
        if text is None
        else new_code_cell(text, id=f"check-{place}")
        if text == "check()"
        else new_markdown_cell(text, id=f"cell-{place}")
        for place, text in enumerate(cells)
    ]
    metadata = {"language_info": {"name": "python"}}
    return nbformat.writes(new_notebook(cells=nodes, metadata=metadata))


def body(html):
    """Return the text of a page as HTML, without empty lines."""
    page = BeautifulSoup(html, "html.parser").find(class_="body")
    return re.sub(r"\n\s*", "\n", str(page))


def test_plain_cells_become_the_boxes_of_directives(build):
    plain, warnings = build(notebook(PLAIN), "index.ipynb")
    assert warnings == ""
    wanted, warnings = build(notebook(DIRECTIVES, FIGURE), "index.ipynb")
    assert warnings == ""
    assert body(plain) == body(wanted)
    assert "∎" not in plain
    assert plain.count("<details") == 2
    assert 'id="why"' in plain


def test_a_solution_may_be_the_last_of_a_page(build):
    html, warnings = build(notebook([*PLAIN[:1], *PLAIN[9:13]]), "index.ipynb")
    [details] = BeautifulSoup(html, "html.parser").find_all("details")
    assert warnings == ""
    assert "check()" in details.get_text()


def test_an_address_of_the_book_leads_inside(build):
    parts = ("", "#a-part", "#thm-o", "#equation-eq-o", "#named", "#its-own-name")
    links = [*(f"book/p/other.html{part}" for part in parts), "book/text.html#b"]
    others = {
        "book/text.md": "# Text\n\n## B\n",
        "book/p/other.ipynb": notebook(
            [
                "# Other\n\n## A part\n\nText.",
                '<a id="thm-o"></a>\n**Theorem.** So.',
                '<a id="eq-o"></a>\n\n$$ x $$',
                '<a id="named"></a>\n\n## $x$\n\nText.',
                '<a id="its-own-name"></a>\n\n## Its own name\n\nText.',
            ]
        ),
    }
    see = " ".join(f"[it]({SITE}{link})" for link in links)
    text = f"# Page\n\nSee {see}.\n\n{LISTED}"
    html, warnings = build(notebook([text]), "index.ipynb", others)
    assert warnings == ""
    page = BeautifulSoup(html, "html.parser").find(class_="body")
    assert [link["href"] for link in page.p.find_all("a")] == links


def test_an_address_of_no_page_is_a_warning(build):
    text = f"# Page\n\nSee [it]({SITE}book/gone.html)."
    _, warnings = build(notebook([text]), "index.ipynb")
    assert "gone.ipynb" in warnings


def test_the_address_of_a_code_file_downloads_it(build):
    link = "https://github.com/owner/book/blob/main/code/part/machine.py"
    text = f"# Page\n\nTake [it]({link}) or [none]({link}x).\n\n{LISTED}"
    others = {
        "code/part/machine.py": "print('it runs')\n",
        "book/text.md": "# Text\n",
        "book/p/other.md": "# Other\n",
    }
    html, warnings = build(notebook([text]), "index.ipynb", others)
    assert warnings == ""
    page = BeautifulSoup(html, "html.parser").find(class_="body")
    taken, left = page.p.find_all("a")
    assert taken["href"].startswith("_downloads/")
    assert taken["href"].endswith("/machine.py")
    assert taken.has_attr("download")
    assert left["href"] == f"{link}x"


def test_the_address_of_no_code_file_stays(build):
    link = "https://github.com/owner/book/blob/main/code/part/gone.py"
    others = {"book/text.md": "# Text\n", "book/p/other.md": "# Other\n"}
    html, _ = build(
        notebook([f"# Page\n\n[It]({link}).\n\n{LISTED}"]), "index.ipynb", others
    )
    page = BeautifulSoup(html, "html.parser").find(class_="body")
    assert page.p.a["href"] == link
