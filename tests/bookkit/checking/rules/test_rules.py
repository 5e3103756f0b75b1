"""A good notebook keeps every rule; for each rule a broken one is caught."""

import base64
import re
import shutil
from copy import deepcopy
from inspect import getdoc
from itertools import chain

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import read_notebook, write_notebook
from bookkit.checking.facts import facts
from bookkit.checking.rules import BOOK_RULES, RULES, broken, check_notebook
from bookkit.writing.bootstrap import bootstrap_source
from bookkit.writing.draw import drawn_source
from bookkit.writing.normalize import normalize
from bookkit.writing.references import stale_references
from bookkit.writing.translations import stale_translations

DRAWN = "transformer.layers.masks:causal_mask"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
SITE = "https://owner.github.io/old-book/book/"
PROSE = """\
A question, $a < b$ and c > d, see [(1)](#eq-first) and [the figure](#fig-0).

<a id="eq-first"></a>
$$ x = 1 $$
"""
THEOREM = '<a id="thm-first"></a>\n**Theorem (First).** Text.'
LEMMA = '<a id="thm-second"></a>\n**Lemma.** Text.'
EXERCISE = '<a id="ex-{0}"></a>\n\n### Exercise: Title\n\nCompute.'
SOLUTION = "#### Solution"
CAPTION = '<a id="{0}"></a>\n**Figure.** What it shows.'


def printing(source, text, *tags):
    """Make a code cell that printed a text."""
    stream = new_output("stream", name="stdout", text=text)
    return new_code_cell(source, outputs=[stream], metadata={"tags": list(tags)})


def drawing(number):
    """Make a code cell that showed a figure."""
    image = {"alt": "A line that rises from left to right"}
    return new_code_cell(
        f"draw({number})",
        outputs=[new_output("display_data", data={"image/svg+xml": SVG})],
        metadata={"tags": ["hide-input"], "mystnb": {"image": image}},
    )


def captioned(number):
    """Make a figure and the caption below it."""
    return drawing(number), new_markdown_cell(CAPTION.format(f"fig-{number}"))


def exploring():
    """Make a code cell that showed an explorer."""
    html = '<div data-explorer="size" aria-label="a size to set">a < 1</div>'
    data = {"text/html": html, "text/plain": "Explorer: a size to set"}
    return new_code_cell(
        "explorers.size.show()",
        outputs=[new_output("display_data", data=data)],
        metadata={"tags": ["hide-input"]},
    )


def good_notebook():
    """Make a notebook that keeps every rule."""
    bootstrap = new_code_cell(
        bootstrap_source("https://github.com/owner/old-book"),
        metadata={"tags": ["remove-cell"]},
    )
    cells = [
        new_markdown_cell(
            "# Title\n\n**A question?** Of **norms**. **Reading time** about 5 "
            "minutes; exercises not counted."
        ),
        bootstrap,
        *map(new_markdown_cell, (PROSE, THEOREM, LEMMA)),
        new_code_cell(drawn_source(DRAWN), metadata={"draw": DRAWN}),
        printing(
            "import torch\ntorch.manual_seed(0)\nprint(torch.rand(1))", "0.4963\n"
        ),
        *chain.from_iterable(map(captioned, range(4))),
        exploring(),
        new_markdown_cell(CAPTION.format("fig-explorer-size")),
        new_markdown_cell("## Exercises"),
        *(
            new_markdown_cell(form.format(name))
            for name in "ab"
            for form in (EXERCISE, SOLUTION, "Solved {0}.")
        ),
        new_markdown_cell(EXERCISE.format("c")),
        printing("check()", "Not yet: it must be causal.\n", "exercise-starter"),
        new_markdown_cell(SOLUTION),
        printing("check(1)", "All 3 properties hold.\n", "exercise-solution"),
    ]
    for count, cell in enumerate(cells):
        cell.id = f"cell-{count}"
        if cell.cell_type == "code":
            cell.execution_count = 1
    notebook = new_notebook(cells=cells)
    normalize(notebook)
    return notebook


@pytest.fixture(scope="module")
def new_chapter(tmp_path_factory, new_book):
    """Put a book with a good notebook in a folder; return the notebook and its path."""
    book = new_book(tmp_path_factory.mktemp("good"))
    notebook = good_notebook()
    write_notebook(book / "book" / "part" / "chapter.ipynb", notebook)
    with (book / "book" / "index.md").open("a") as index:
        index.write("\n(other-section)=\n## A section\n")

    def make(folder):
        shutil.copytree(book, folder, dirs_exist_ok=True)
        return deepcopy(notebook), folder / "book" / "part" / "chapter.ipynb"

    return make


@pytest.fixture
def chapter(tmp_path, new_chapter):
    """A good notebook on disk and in memory."""
    return new_chapter(tmp_path)


def find(notebook, where):
    """Find a cell by its place, or the first whose source starts with a text."""
    if isinstance(where, int):
        return notebook.cells[where]
    return next(cell for cell in notebook.cells if cell.source.startswith(where))


# Ways to break a rule: each returns a change of a notebook.


def writing(where, text):
    """Write a cell anew."""
    return lambda notebook: find(notebook, where).update(source=text)


def adding(where, text):
    """Add to a cell."""

    def change(notebook):
        find(notebook, where).source += text

    return change


def replacing(where, old, new):
    """Replace a text in a cell."""

    def change(notebook):
        cell = find(notebook, where)
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def appending(text):
    """Add a cell at the end."""
    return lambda book: book.cells.append(new_markdown_cell(text, id="last"))


def noting(where, **metadata):
    """Set metadata of a cell."""
    return lambda notebook: find(notebook, where).metadata.update(metadata)


def forgetting(where, name):
    """Take metadata from a cell."""
    return lambda notebook: find(notebook, where).metadata.pop(name)


def showing(where, *outputs):
    """Let a cell show something else."""
    return lambda notebook: find(notebook, where).update(outputs=list(outputs))


def saying_of_figure(key, value):
    """Change what the first figure shows, or says of it, in the notebook format."""

    def change(notebook):
        find(notebook, "draw(0)").outputs[0][key] = value

    return change


def in_html(old, new):
    """Replace a text in the HTML of the explorer."""

    def change(notebook):
        data = find(notebook, "explorers").outputs[0].data
        assert old in data["text/html"]
        data["text/html"] = data["text/html"].replace(old, new)

    return change


def together(*changes):
    """Make several changes."""
    return lambda notebook: [change(notebook) for change in changes]


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def result(text):
    return new_output("display_data", data={"text/plain": text})


FIRST_FIGURE, EXPLORER = CAPTION.format("fig-0"), CAPTION.format("fig-explorer-size")
EXERCISE_A, DRAWN_CELL, PROSE_CELL = EXERCISE.format("a"), "# transformer/l", "A quest"
WORDS = " word" * 5 * 90
SHOWN = [
    ("a device", "tensor([1.], device='cuda:0')"),
    ("a device", "cpu"),
    ("a memory address", "<object at 0x7f0f3ba3d310>"),
    ("an absolute path", "read '/home/someone/data.txt'"),
    ("an absolute path", r"C:\data"),
    ("a version", "torch 2.13.0+cpu"),
    ("a date", "on 2026-08-01"),
    ("a time of day", "at 12:30:59"),
    ("a progress bar", " 50%|#####     |"),
]
MARKS = [
    ("a directive", ":::{note}\nText.\n:::"),
    ("a directive", "```{code-cell}\n1\n```"),
    ("a directive", "Text.\n:::"),
    ("an option of a directive", ":class: tip\nText."),
    ("a role", "{glue:text}`x`"),
    ("a role", "See {numref}`fig-0`."),
    ("a target", "(here)=\n## There"),
    ("a label behind an equation", "$$\nx\n$$ (eq-x)"),
    ("attributes", "[words]{.smaller}"),
    ("attributes", "{#here}\n## There"),
]
BOX = "> **A box**\n>\n> - one\n> - two\n\n> **Another box**\n>\n> Text."
# A line of the box, and what is left of it where its sign is lost.
TORN = [
    ("> - one", "- one"),
    ("> - two", "- two"),
    ("> **A box**", "**A box**"),
    (">\n> - one", "\n> - one"),
]
# An address, and what is said of it.
LINKS = [
    ("#gone", "cell 3 links to #gone, and no cell has that anchor; mend it"),
    ("#thm-frist", "has that anchor (the nearest is thm-first); mend it"),
    ("#other-sectoin", "has that anchor (the nearest is other-section)"),
    ("#other-section", "which stands on another page; run `make references`."),
    ("#exercises", "#exercises, a heading without an anchor; run `make refer"),
    ("#exercsies", "no cell has that anchor (the nearest is exercises); mend it"),
    (
        "../index.md#other-secton",
        "links to ../index.md#other-secton, and that page has no such part (the nearest"
        " is other-section): the heading may",
    ),
    ("../index.md", "which leads nowhere in Colab; run `make references`."),
    (
        "chaptre.ipynb#part",
        "links to chaptre.ipynb#part, and the book has no such page (the nearest is "
        "book/part/chapter); mend the link.",
    ),
    (
        f"{SITE}part/chaptre.html",
        "the book has no such page (the nearest is book/part/chapter); mend the link.",
    ),
    (
        f"{SITE}index.html#other-secton",
        "that page has no such part (the nearest is other-section): the heading may",
    ),
]
# Of each rule: ways to break it, and words of the message that it must give.
BREACHES = {
    "reading_time_is_stated": [
        (replacing(0, "about 5", "about 10"), "about 5 minutes; exercises not counted"),
        (writing(0, "# Title"), "counted.', and it says nothing; `make references`"),
        (adding(2, WORDS), "must say '**Reading time** about 10 minutes; ex"),
        (
            adding("import torch", "\n1" * 5 * 9),
            "**Reading time** about 10 minutes; ex",
        ),
        (
            adding(2, f"\n\n## Deeper: why\n\n{WORDS}"),
            "about 5 minutes, 10 with what is marked *Deeper*; ex",
        ),
        (
            lambda notebook: notebook.cells.insert(
                1, printing("1", "ours +0.20 ± 0.02 clearly ahead")
            ),
            "must end with '**Compared** in the tables of this page is 1 pair of",
        ),
        (
            adding(-1, "\n\n**Compared** in the tables of this page are 2 pairs."),
            "must end with '', and it says **Compared** in the tables",
        ),
    ],
    "deeper_sections_are_whole": [
        (
            adding(
                2,
                "\n\n## Deeper: why\n\n### Proof\n\n"
                '<a id="more" name="more"></a>\n\n## More\n\nText.',
            ),
            "The section 'Deeper: why' holds nothing;",
        ),
        (
            appending("### Deeper: why\n\nText."),
            "'Deeper: why' stands in the exercises,",
        ),
        (
            adding(2, "\n\n### Deeper:\n\nText."),
            "'Deeper:' must go on with a title.",
        ),
    ],
    "file_is_canonical": [(adding(0, " "), "not in canonical form; run `make run`")],
    "title_comes_first": [
        (adding(2, "\nSecond\n====\n"), "found in: cell 1, cell 3"),
        (together(writing(0, "Text"), writing(2, "# Title")), "found in: cell 3"),
        (writing(0, "## Title\n\n```python\n# comment\n```"), "found in: none"),
    ],
    "bootstrap_comes_first": [
        (adding(1, " "), "first code cell must be the bootstrap; run `make dr"),
        (forgetting(1, "tags"), "first code cell must be the bootstrap"),
        (lambda book: book.update(cells=book.cells[:1]), "no code cell"),
        (showing(1, printed("done")), "must print nothing"),
    ],
    "metadata_is_normal": [
        (
            noting(DRAWN_CELL, execution={"iopub.execute_input": "2026-01-01"}),
            "keeps metadata 'execution'",
        ),
        (lambda book: book.metadata.update(colab={}), "keeps metadata 'colab'"),
        (
            lambda book: book.metadata.language_info.update(version="3.11.7"),
            "keeps metadata 'language_info'",
        ),
        (
            forgetting(SOLUTION, "jp-MarkdownHeadingCollapsed"),
            "lacks metadata 'jp-MarkdownHeadingCollapsed'",
        ),
        (forgetting("draw(0)", "cellView"), "lacks metadata 'cellView'"),
    ],
    "code_is_plain_python": [
        (writing(DRAWN_CELL, "%matplotlib inline"), "must be plain Python"),
    ],
    "code_is_short": [
        (
            writing("import torch", "x = 1\n" * 21),
            "at most 20 lines, and has 21; split",
        ),
    ],
    "drawn_cells_are_fresh": [
        (
            adding(DRAWN_CELL, "\n"),
            "transformer.layers.masks:causal_mask, which has changed; run `make",
        ),
        (noting(DRAWN_CELL, draw=DRAWN.replace("causal", "gone")), "must define 'gone"),
    ],
    "nothing_warns": [
        (
            showing(DRAWN_CELL, printed("UserWarning: x", "stderr")),
            "writes to the error stream: 'UserWarning: x'",
        ),
    ],
    "outputs_hide_the_machine": [
        *(
            (showing("import t", printed(text)), f"shows {what}")
            for what, text in SHOWN
        ),
        (showing(DRAWN_CELL, result(SHOWN[2][1])), "shows a memory address"),
    ],
    "lines_are_seen_whole": [
        (
            showing("import torch", printed(f"{'a' * 88}\n{'b' * 89}\n")),
            "prints 89 signs on a line, of which 88 can",
        ),
        (showing(DRAWN_CELL, result(f"1\n{'a' * 100}")), "prints 100 signs"),
    ],
    "results_are_tables": [
        (
            showing(
                "import torch",
                printed("d = 3: 0.5 off\nd = 57: -1e-5  off\n"),
                printed("d = 1,024: 2 off\n"),
            ),
            "prints 3 rows such as 'd = #: # off'; show them in a `chapters.tables",
        ),
    ],
    "figures_are_described": [
        (
            noting("draw(0)", mystnb={"image": {"alt": "A line"}}),
            "without alt text of 20 characters",
        ),
        (writing(FIRST_FIGURE, '<a id="fig-0"></a>\n**Figure.**'), "without a caption"),
        (
            writing(FIRST_FIGURE, "**Figure.** What it shows."),
            "without a name that starts with 'fig-'",
        ),
        (saying_of_figure("metadata", {}), "without its alt text in the output"),
        (
            saying_of_figure("data", {"text/plain": "<Figure>", "image/svg+xml": SVG}),
            "without its alt text in the output",
        ),
        (showing("draw(0)"), "has one caption and shows 0 figures"),
        (
            lambda book: find(book, "draw(0)").outputs.extend(
                find(book, "explorers").outputs
            ),
            "has one caption and shows 2 figures",
        ),
    ],
    "figures_hide_their_code": [
        (noting("draw(0)", tags=[]), "tag it hide-input"),
        (noting("explorers", tags=[]), "tag it hide-input"),
    ],
    "explorers_are_described": [
        (
            writing(EXPLORER, CAPTION.format("fig-size")),
            "'fig-explorer-size', and names it 'fig-size'",
        ),
        (writing(EXPLORER, "Text"), "an explorer without a caption"),
        (
            in_html('aria-label="a size to set"', 'aria-label=""'),
            "an explorer without an aria-label",
        ),
    ],
    "html_is_an_explorer_that_stands_alone": [
        (in_html("data-explorer", "data-table"), "of one explorer, and shows 0"),
        (in_html("a < 1", "x" * 61_000), "61 kB of HTML, more than 60"),
        (in_html("a < 1", '<img src="a.png"/>'), "asks for another file: 'src='"),
        (in_html("<div", '<div id="size"'), "shows HTML with an id"),
    ],
    "figures_are_small_drawings": [
        (
            saying_of_figure("data", {"image/svg+xml": "x" * 401_000}),
            "a figure of 401 kB, more than 400; rasterize",
        ),
        (
            saying_of_figure(
                "data", {"image/png": base64.b64encode(b"x" * 401_000).decode()}
            ),
            "a figure of 401 kB",
        ),
        (
            saying_of_figure("data", {"image/jpeg": ""}),
            "must show one SVG or PNG, and shows image/jpeg",
        ),
        (
            saying_of_figure("data", {"image/svg+xml": "<svg><dc:date>2</dc:date>"}),
            "carries a date",
        ),
    ],
    "exercises_have_solutions": [
        (writing(SOLUTION, "#### Solution\n\nText"), "ex-a has no solution"),
        (appending(SOLUTION), "is a solution without an exercise above it"),
        (
            lambda book: [c for c in book.cells if c.source == SOLUTION][2].update(
                source="Text"
            ),
            "ex-c has no solution",
        ),
        (writing("Solved a", "Text.\n\nTODO: it"), "still says 'TODO: it'; write it."),
        (adding("check()", "  # TODO: a slip"), "still says 'TODO: a slip'; write it."),
    ],
    "headings_begin_cells_after_solutions": [
        (adding("Solved a", "\n\n## Summary"), "has a heading within a solution"),
        (appending("Text.\n\n## Summary"), "has a heading within a solution"),
    ],
    "labels_name_boxes": [
        (
            writing(EXERCISE_A, "### Exercise\n\nCompute."),
            "label 'ex-…' above its exercise, and has 'none'",
        ),
        (
            replacing(EXERCISE_A, "ex-a", "task"),
            "label 'ex-…' above its exercise, and has 'task'",
        ),
        (
            replacing(THEOREM, ".**", "**"),
            "the label 'thm-first' above what is no box",
        ),
        (
            adding(0, "\n\n" + EXERCISE.format("z")),
            "the label 'ex-z' above what is no box",
        ),
        (
            replacing(PROSE_CELL, "$$ x", "Text.\n\n$$ x"),
            "the label 'eq-first' above no equation",
        ),
        (replacing(PROSE_CELL, "eq-first", "first"), "labels an equation 'first'"),
    ],
    "starters_fail_and_solutions_pass": [
        (
            showing("check()", printed("All 3 properties hold.\n")),
            "is a starter and must print 'Not yet'",
        ),
        (
            showing("check(1)", printed("Not yet: it must be causal.\n")),
            "must print that all properties hold",
        ),
        (noting("check(1)", tags=[]), "has no cell tagged exercise-solution"),
        (
            noting("import torch", tags=["exercise-starter"]),
            "has no cell tagged exercise-solution",
        ),
        (noting("check()", tags=[]), "is a solution without a starter"),
    ],
    "markdown_degrades_well": [
        (adding(0, f"\n\n{mark}"), f"cell 1 uses {what}, which") for what, mark in MARKS
    ],
    "markdown_has_no_html": [
        (adding(0, " a<br>b"), "holds raw HTML: '<br>'"),
        (adding(0, "\n\n<div>\ntext\n</div>"), "holds raw HTML: '<div>"),
    ],
    "links_have_text": [
        (adding(0, " See [](#eq-first)."), "links to '#eq-first' without words"),
    ],
    "prose_reads_on_paper": [
        (
            adding(0, " Then drag the number down."),
            "says 'drag', which nobody can do on paper",
        ),
        (
            adding(0, " Choose it in [Figure 2](#fig-explorer-first)."),
            "says 'Choose it in [Figure 2](#fig-explorer'",
        ),
    ],
    "quotes_are_whole": [
        (adding(0, f"\n\n{BOX.replace(*line, 1)}"), "tears a quote at ")
        for line in TORN
    ],
    "links_lead_somewhere": [
        (adding(2, f"\n\n[it]({to})"), words) for to, words in LINKS
    ],
    "numbers_have_a_source": [
        (
            adding(0, " The root mean square is 0.7071."),
            "says 0.7071, and nothing near it shows that",
        ),
        (
            together(
                showing(DRAWN_CELL, printed("1.2344")), adding(4, " It is 1.235.")
            ),
            "says 1.235, and nothing near it shows that",
        ),
        (
            noting("draw(0)", mystnb={"image": {"alt": "The curve ends at 0.75."}}),
            "says 0.75, and nothing near it shows that",
        ),
        (
            adding(0, " So $0.55 + 0.35 = 0.95$."),
            "computes what does not hold: 0.55 + 0.35 = 0.95",
        ),
    ],
    "comparisons_rest_on_studies": [
        (
            adding(FIRST_FIGURE, " A is ahead."),
            "does not say what that rests on: 'A is ahead.'",
        ),
        (
            adding(PROSE_CELL, "\n\n| A | best |\n|---|---|"),
            "does not say what that rests on: '| A | best |'",
        ),
        (
            appending("## Summary\n\n- B needs more steps, A is harmless."),
            "what that rests on: '- B needs more steps, A is",
        ),
        (
            noting(FIRST_FIGURE, rests_on=["a.b"]),
            "there is no study 'a.b', no file code/chapters/a",
        ),
    ],
}


@facts("rule", [*RULES, *BOOK_RULES], ids=lambda rule: rule.__name__)
def test_a_rule_says_what_must_hold_and_for_which_readers(rule):
    sentence, *_, whom = getdoc(rule).splitlines()
    assert sentence.endswith(".")
    assert re.fullmatch(r"For .+\.", whom)
    assert broken(rule, ["One.", "Two."]) == [f"{sentence} {whom}", "- One.", "- Two."]
    assert broken(rule, []) == []


def test_a_broken_rule_is_told_with_the_ids_of_its_cells(chapter):
    notebook, path = chapter
    notebook.cells[2].source += "\n\n<b>bold</b> [](#fig-0)"
    find(notebook, "import torch").source += "\n!ls"
    write_notebook(path, notebook)
    told = check_notebook(path)
    assert "For engineers, who copy a cell into a program of their own." in told[0]
    assert told[1].startswith("- cell 7 (code cell 3, id cell-6) must be plain Python")
    assert any(
        "- cell 3 (id cell-2) links to '#fig-0' without" in line for line in told
    )


@facts("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_good_notebook_keeps_the_rule(chapter, rule):
    assert rule(*chapter) == []


@facts(
    "name, change, words", [(n, *row) for n, rows in BREACHES.items() for row in rows]
)
def test_a_broken_notebook_is_caught(tmp_path, new_chapter, name, change, words):
    notebook, path = new_chapter(tmp_path)
    rule = next(rule for rule in RULES if rule.__name__ == name)
    change(notebook)
    assert words in "\n".join(rule(notebook, path))


def test_every_rule_has_a_broken_notebook():
    assert {rule.__name__ for rule in RULES} == BREACHES.keys()


def _allowed(name, source, *, output=None, text=""):
    """A rule, and a cell that looks like a breach of it and is none."""
    return pytest.param(name, source, output, text, id=f"{name}-{source[:20]}")


@facts(
    "name, source, output, text",
    [
        _allowed("outputs_hide_the_machine", "1", output="0.5000 1/3/5 x[0]/2/3 1.25"),
        _allowed("outputs_hide_the_machine", "1", output="shape (2, 3, 5), 1e-12, 0x1"),
        _allowed("lines_are_seen_whole", "1", output=f"{'a' * 88}\n{'b' * 88} "),
        _allowed("results_are_tables", "1", output="d = 3: 0.5\nd = 5: 0.7"),
        _allowed("results_are_tables", "1", output="d = 3: 2\ne = 3: 2\nf = 3: 2"),
        _allowed("results_are_tables", "1", output="[[0.5, 1.5],\n" * 3),
        _allowed("results_are_tables", "1", output="Step.\n" * 3),
        _allowed("results_are_tables", "train(model, 2)", output="loss 0.5\n" * 3),
        _allowed("results_are_tables", "loss.backward()", output="loss 0.5\n" * 3),
        _allowed("markdown_has_no_html", "1", text="`<b>` <https://a.b> $i<j and k>l$"),
        _allowed("markdown_has_no_html", "1", text="```html\n<b>\n```"),
        _allowed("markdown_degrades_well", "1", text="`` {glue}`x` `` ends"),
        _allowed("markdown_degrades_well", "1", text="`{ref}`, $x$ (see above)"),
        _allowed("markdown_degrades_well", "1", text="$\\mathbf{x}_{.5}$ at 5:30"),
        _allowed("markdown_degrades_well", "1", text="Time: 5:30\n\n```\n:::\n```"),
        _allowed("numbers_have_a_source", "1", output="0.70711", text="$0.7071$"),
        _allowed("numbers_have_a_source", "x = 0.125", text="an eighth, 0.125"),
        _allowed("numbers_have_a_source", "1", text="$0.5 + 0.3 = 0.8$"),
        _allowed("numbers_have_a_source", "1", text="section 0.5 of 1.2.345"),
        _allowed("numbers_have_a_source", "1", text="[a](https://b.c/1706.03762)"),
        _allowed("links_have_text", "1", text="[words](#eq-first) and ![](a.png)"),
        _allowed("prose_reads_on_paper", "1", text="Choose a rate. `drag` it."),
        _allowed("quotes_are_whole", "1", text=f"{BOX}\n\nText, $a >\nb$."),
        _allowed("links_lead_somewhere", "1", text="[a](#thm-first) `[b](#gone)`"),
        _allowed("links_lead_somewhere", "1", text=f"[a]({SITE}index.html#a-section)"),
        _allowed("links_lead_somewhere", "1", text="[a](https://a.b/c#d)"),
        _allowed("title_comes_first", "1", text="```\n# comment\n```"),
        _allowed("title_comes_first", "2", text="$$\nx\n=\ny\n$$"),
    ],
)
def test_what_only_looks_like_a_breach_is_allowed(
    tmp_path, new_chapter, name, source, output, text
):
    notebook, path = new_chapter(tmp_path)
    rule = next(rule for rule in RULES if rule.__name__ == name)
    outputs = [new_output("stream", text=output)] if output else []
    notebook.cells[2].source += f"\n\n{text}"
    notebook.cells.insert(3, new_code_cell(source, outputs=outputs))
    assert rule(notebook, path) == []


# Rules about all pages together.


def test_an_appendix_needs_no_row_on_the_landing_page(book):
    [rule] = [r for r in BOOK_RULES if r.__name__ == "index_lists_every_chapter"]
    before = rule(book)
    titled = new_notebook(cells=[new_markdown_cell("# A", id="a")])
    (book / "book" / "appendix").mkdir()
    write_notebook(book / "book" / "appendix" / "a.ipynb", titled)
    edit(book, "_toc.yml", add("      - file: book/appendix/a\n"))
    assert rule(book) == before == []


def edit(root, name, change):
    """Change the text of a file, which may be new."""
    path = root / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(change(path.read_text() if path.exists() else ""))


def add(text):
    """Add a text at the end."""
    return lambda before: before + text


def saying(text):
    """Add a sentence to the chapter."""

    def change(root):
        path = root / "book" / "part" / "chapter.ipynb"
        notebook = read_notebook(path)
        notebook.cells[2].source += f"\n\n{text}"
        write_notebook(path, notebook)

    return change


def translating_a_label(root):
    """Translate a label of the first figure, which nobody draws anew."""
    path = root / "book/part/chapter.ipynb"
    notebook = read_notebook(path)
    text = '<g id="text_1"><!-- layer --></g>'
    figure = find(notebook, "draw(0)").outputs[0]
    figure.data["image/svg+xml"] = SVG.replace("/>", f">{text}</svg>")
    write_notebook(path, notebook)
    catalog = root / "zh/catalogs/part/chapter.po"
    catalog.parent.mkdir(parents=True)
    catalog.write_text('msgid "layer"\nmsgstr "层"\n', "utf-8")
    stale_translations(root, write=True)


def explaining(entries):
    """Add a glossary."""
    text = f"# Glossary\n\n```{{glossary}}\n{entries}```\n"
    return lambda root: edit(root, "book/appendix/glossary.md", add(text))


def explained(term):
    """Write an entry whose word the chapter defines, if it is "norm"."""
    link = "[it](../part/chapter.ipynb#title)"
    return f"{term}\n  A word. Explained in\n  {link}.\n"


def listing(entry):
    """Add an entry to the bibliography, and cite it."""

    def change(root):
        edit(root, "book/references.bib", add(entry))
        edit(root, "book/index.md", add("{cite:t}`new2018`"))

    return change


BOOK_BREACHES = [
    (
        "references_are_fresh",
        "book/part/chapter.ipynb, cell 3 has a role, a number or a box that is not as "
        "Colab needs it; run `make references`.",
        saying("See {prf:ref}`thm-first`."),
    ),
    (
        "references_are_fresh",
        "run `make references`",
        saying("See [Theorem 3](#thm-first)."),
    ),
    (
        "references_are_fresh",
        "cites 'gone', which must be in book/references.bib with an address",
        saying("See {cite:t}`gone`."),
    ),
    (
        "citations_name_their_entries",
        "links to the work known2017 with the words 'Known (2016)'; write "
        "{cite:t}`known2017`",
        saying("[Known (2016)](https://arxiv.org/abs/1706.00001)"),
    ),
    (
        "citations_name_their_entries",
        "cites 'Known et al., 2017' by https://example.org, which no entry has.",
        saying("([Known et al., 2017](https://example.org))"),
    ),
    (
        "bibliography_is_complete",
        "The entry new2018 must be cited somewhere.",
        (
            "book/references.bib",
            "@misc{new2018, author={A}, title={T}, year=2018, doi={10.1234/5}}",
        ),
    ),
    (
        "bibliography_is_complete",
        "The entry new2018 must have an address: a doi, an eprint or a url.",
        listing("@misc{new2018, author={A}, title={T}, year=2018}"),
    ),
    (
        "bibliography_is_complete",
        "The entry new2018 must have the field journal.",
        listing("@article{new2018, author={A}, title={T}, year=2018, doi={10.1234/5}}"),
    ),
    (
        "bibliography_is_complete",
        "The entry new2018 has a doi of an unknown form: arXiv.",
        listing("@misc{new2018, author={A}, title={T}, year=2018, doi={arXiv}}"),
    ),
    (
        "bibliography_is_complete",
        "The entry new2018 must be one of article, ",
        listing("@thesis{new2018, author={A}, title={T}, year=2018, doi={10.1234/5}}"),
    ),
    (
        "index_lists_every_chapter",
        "a row for each chapter, in this order: part/chapter.ipynb, 5",
        (
            "book/index.md",
            "| 2 | [More](part/chapter.ipynb) | Once more? | 5 |\n",
        ),
    ),
    ("contents_name_every_page", "must list book/new", ("book/new.md", "# New\n")),
    (
        "contents_name_every_page",
        "lists book/gone, and it is missing",
        ("_toc.yml", "      - file: book/gone\n"),
    ),
    (
        "contents_name_every_page",
        "lists book/part/chapter twice",
        ("_toc.yml", "      - file: book/part/chapter.ipynb\n"),
    ),
    (
        "names_are_unique",
        "The name 'fig-0' must be used once, and is in book/index.md and in book/part",
        ("book/index.md", "\n(fig-0)=\n## Section\n"),
    ),
    (
        "names_are_unique",
        "The name 'eq-first' must be used once",
        ("book/index.md", '\n<a id="eq-first"></a>\n$$ y $$\n'),
    ),
    (
        "names_are_unique",
        "The name 'ex-a' must be used once",
        ("book/index.md", "\n:::{exercise}\n:label: ex-a\n:::\n"),
    ),
    (
        "glossary_is_in_order",
        "'beam' must stand before 'norm'",
        explaining(explained("norm") + explained("beam")),
    ),
    (
        "glossary_is_in_order",
        "'RoPE' sends to 'rotary', which is none",
        explaining("RoPE\n  See {term}`rotary`.\n"),
    ),
    (
        "glossary_is_in_order",
        "'norm' must end in 'Explained in [section](link).'",
        explaining("norm\n  A word.\n"),
    ),
    (
        "glossary_and_chapters_agree",
        "'beam' must be bold in part/chapter.ipynb#title",
        explaining(explained("beam") + explained("norm")),
    ),
    (
        "glossary_and_chapters_agree",
        "part/chapter, #title defines 'norms', which book/appendix/glossary.md lacks",
        explaining("RoPE\n  See {term}`rotary`.\n"),
    ),
    (
        "terms_have_chinese_names",
        "'norm' must have its Chinese name",
        explaining(explained("norm")),
    ),
    (
        "terms_have_chinese_names",
        "'ReLU' has a Chinese name and stands in NO_CHINESE",
        explaining(explained("ReLU : 修正线性单元")),
    ),
    (
        "terms_have_chinese_names",
        "'one', the Chinese name of 'norm', has no Chinese sign",
        explaining(explained("norm : one")),
    ),
    (
        "terms_have_chinese_names",
        "'归一化' names two terms",
        explaining(explained("norm : 归一化") + explained("scale : 归一化")),
    ),
    (
        "chinese_can_be_printed",
        "lacks 归猫",
        saying("猫归"),
    ),
    (
        "chinese_pages_are_fresh",
        "zh/catalogs/index.po and zh/index.md must be written anew",
        ("zh/catalogs/index.po", '# A message.\nmsgid "# A book"\nmsgstr "# 书"\n'),
    ),
    (
        "chinese_figures_are_drawn",
        "zh/part/chapter.ipynb, cell 8",
        translating_a_label,
    ),
    (
        "translations_are_exact",
        "zh/index.md says 7, and the English page does not.",
        ("zh/index.md", "# 中文\n\n7 章\n"),
    ),
    (
        "numbers_of_pages_have_a_source",
        "book/index.md, cell 1 says 0.123",
        ("book/index.md", "\n\nIt is 0.123."),
    ),
    (
        "numbers_of_pages_have_a_source",
        "book/index.md, cell 1 says 0.123",
        ("book/index.md", "\n\n```{glossary}\nnorm\n   A map; it is 0.123.\n```"),
    ),
    (
        "numbers_of_pages_have_a_source",
        "there is no such page; remove them",
        ("book/appendix/data/numbers.toml", '["part/gone"]\non_page = ["1.5"]'),
    ),
    (
        "numbers_of_pages_have_a_source",
        "lists 'It is 1.5', and the page does not say it; remove it",
        ("book/appendix/data/numbers.toml", '[index]\non_page = ["It is 1.5"]'),
    ),
]
KNOWN = """
@article{known2017,
 author={Known, K.}, title={T}, journal={J}, year={2017}, eprint={1706.00001}}
"""
GOOD_PAGE = """
| | chapter | question | reading time |
|---|---|---|---|
| 1 | [Title](part/chapter.ipynb) | A question? | 5 |

(here)=
## A section: of words $x$

{ref}`here` {ref}`text <thm-first>` {numref}`fig-0` {eq}`eq-first` {ref}`ex-a`
{prf:ref}`thm-first` {cite}`known2017` [f](#fig-0) [](#here) [](#a-section-of-words-)
[a](part/chapter.ipynb) [b](part/chapter.ipynb#title) [c](https://example.org/#x)
`{ref}` and `[](#gone)` and

```markdown
{ref}`gone` [](#gone)
```
"""


@pytest.fixture(scope="module")
def good_book(tmp_path_factory, new_chapter):
    """The root of a small book that keeps every rule, and stays as it is."""
    book = tmp_path_factory.mktemp("book")
    new_chapter(book)
    # A page that a command writes may hold roles.
    edit(book, "book/index.md", lambda text: f"% Generated.\n\n{text}{GOOD_PAGE}")
    edit(book, "book/references.bib", add(KNOWN))
    stale_references(book, write=True)
    edit(book, "book/_static/note.md", add("{ref}`gone`"))
    return book


def copied(book, folder):
    """Copy a book, to break it."""
    return shutil.copytree(book, folder / "copy")


@facts("rule", BOOK_RULES, ids=lambda rule: rule.__name__)
def test_a_good_book_keeps_the_rule(good_book, rule):
    assert rule(good_book) == []


@facts("name, words, change", BOOK_BREACHES)
def test_a_broken_book_is_caught(good_book, tmp_path, name, words, change):
    [rule] = [rule for rule in BOOK_RULES if rule.__name__ == name]
    book = copied(good_book, tmp_path)
    if callable(change):
        change(book)
    else:
        edit(book, change[0], add(change[1]))
    breaches = rule(book)
    assert len(breaches) == 1
    assert words in breaches[0]


def test_every_book_rule_has_a_broken_book():
    assert {rule.__name__ for rule in BOOK_RULES} == {
        entry[0] for entry in BOOK_BREACHES
    }
