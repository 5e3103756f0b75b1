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
from bookkit.checking.rules.text import markdown_degrades_well
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


def find(notebook, source):
    """Find the first cell whose source starts with a text."""
    return next(cell for cell in notebook.cells if cell.source.startswith(source))


def breach(rule, words, *, label=None):
    """Collect a way to break a rule, and words of the message it must give."""

    def collect(change):
        name = f"{rule}-{change.__name__}"
        BREACHES.append(pytest.param(rule, change, words, id=label or name))
        return change

    return collect


BREACHES = []


@breach(
    "reading_time_is_stated",
    "about 5 minutes; exercises not counted.', and it",
)
def wrong_time(notebook):
    cell = notebook.cells[0]
    cell.source = cell.source.replace("about 5", "about 10")


@breach(
    "reading_time_is_stated", "not counted.', and it says nothing; `make references`"
)
def no_time(notebook):
    notebook.cells[0].source = "# Title"


@breach("reading_time_is_stated", "must say '**Reading time** about 10 minutes; ex")
def long_text(notebook):
    notebook.cells[2].source += " word" * 5 * 90


@breach("reading_time_is_stated", "must say '**Reading time** about 10 minutes; ex")
def long_code(notebook):
    find(notebook, "import torch").source += "\n1" * 5 * 9


@breach(
    "reading_time_is_stated",
    "about 5 minutes, 10 with what is marked *Deeper*; ex",
)
def long_deeper_section(notebook):
    notebook.cells[2].source += "\n\n## Deeper: why\n\n" + " word" * 5 * 90


@breach("deeper_sections_are_whole", "The section 'Deeper: why' holds nothing;")
def empty_deeper_section(notebook):
    anchor = '<a id="more" name="more"></a>'
    text = f"\n\n## Deeper: why\n\n### Proof\n\n{anchor}\n\n## More\n\nText."
    notebook.cells[2].source += text


@breach("deeper_sections_are_whole", "'Deeper: why' stands in the exercises,")
def deeper_section_in_the_exercises(notebook):
    notebook.cells.append(new_markdown_cell("### Deeper: why\n\nText.", id="last"))


@breach("deeper_sections_are_whole", "'Deeper:' must go on with a title.")
def deeper_section_without_a_title(notebook):
    notebook.cells[2].source += "\n\n### Deeper:\n\nText."


@breach("file_is_canonical", "not in canonical form; run `make run`")
def other_bytes(notebook):
    notebook.cells[0].source += " "


@breach("title_comes_first", "found in: cell 1, cell 3")
def second_title(notebook):
    notebook.cells[2].source += "\nSecond\n====\n"


@breach("title_comes_first", "found in: cell 3")
def late_title(notebook):
    notebook.cells[0].source, notebook.cells[2].source = "Text", "# Title"


@breach("title_comes_first", "found in: none")
def no_title(notebook):
    notebook.cells[0].source = "## Title\n\n```python\n# comment\n```"


@breach("bootstrap_comes_first", "first code cell must be the bootstrap; run `make dr")
def other_bootstrap(notebook):
    notebook.cells[1].source += " "


@breach("bootstrap_comes_first", "first code cell must be the bootstrap")
def shown_bootstrap(notebook):
    del notebook.cells[1].metadata["tags"]


@breach("bootstrap_comes_first", "no code cell")
def no_code(notebook):
    notebook.cells = notebook.cells[:1]


@breach("bootstrap_comes_first", "must print nothing")
def loud_bootstrap(notebook):
    notebook.cells[1].outputs = [new_output("stream", text="done")]


@breach("metadata_is_normal", "keeps metadata 'execution'")
def timing(notebook):
    find(notebook, "# transformer/layers").metadata["execution"] = {
        "iopub.execute_input": "2026-01-01"
    }


@breach("metadata_is_normal", "keeps metadata 'colab'")
def editor_state(notebook):
    notebook.metadata["colab"] = {}


@breach("metadata_is_normal", "keeps metadata 'language_info'")
def python_version(notebook):
    notebook.metadata.language_info["version"] = "3.11.7"


@breach("metadata_is_normal", "lacks metadata 'jp-MarkdownHeadingCollapsed'")
def open_solution(notebook):
    del find(notebook, "#### Solution").metadata["jp-MarkdownHeadingCollapsed"]


@breach("metadata_is_normal", "lacks metadata 'cellView'")
def open_drawing_code(notebook):
    del find(notebook, "draw(0)").metadata["cellView"]


@breach("code_is_plain_python", "must be plain Python")
def magic(notebook):
    find(notebook, "# transformer/layers").source = "%matplotlib inline"


@breach("code_is_short", "at most 20 lines, and has 21; split it")
def long_cell(notebook):
    find(notebook, "import torch").source = "x = 1\n" * 21


@breach(
    "drawn_cells_are_fresh",
    "is drawn from transformer.layers.masks:causal_mask, which has changed; run `make",
)
def stale(notebook):
    find(notebook, "# transformer").source += "\n"


@breach("drawn_cells_are_fresh", "must define 'gone'")
def lost(notebook):
    find(notebook, "# transformer").metadata.draw = "transformer.layers.masks:gone"


@breach("nothing_warns", "writes to the error stream: 'UserWarning: x'")
def warning(notebook):
    stderr = new_output("stream", name="stderr", text="UserWarning: x")
    find(notebook, "# transformer/layers").outputs = [stderr]


def _shows(what, text):
    """Collect a breach by what an output shows."""

    def change(notebook):
        find(notebook, "import torch").outputs[0].text = text

    breach("outputs_hide_the_machine", f"shows {what}", label=f"shows-{text}")(change)


_shows("a device", "tensor([1.], device='cuda:0')")
_shows("a device", "cpu")
_shows("a memory address", "<object at 0x7f0f3ba3d310>")
_shows("an absolute path", "read '/home/someone/data.txt'")
_shows("an absolute path", r"C:\data")
_shows("a version", "torch 2.13.0+cpu")
_shows("a date", "on 2026-08-01")
_shows("a time of day", "at 12:30:59")
_shows("a progress bar", " 50%|#####     |")


@breach("lines_are_seen_whole", "prints 89 signs on a line, of which 88 can")
def printed_line_too_long(notebook):
    find(notebook, "import torch").outputs[0].text = f"{'a' * 88}\n{'b' * 89}\n"


@breach("lines_are_seen_whole", "prints 100 signs", label="long-result")
def result_too_long(notebook):
    data = {"text/plain": f"1\n{'a' * 100}"}
    find(notebook, "# transformer/layers").outputs = [
        new_output("display_data", data=data)
    ]


@breach("outputs_hide_the_machine", "shows a memory address")
def address_in_a_result(notebook):
    data = {"text/plain": "<object at 0x7f0f3ba3d310>"}
    find(notebook, "# transformer/layers").outputs = [
        new_output("display_data", data=data)
    ]


@breach("figures_are_described", "without alt text of 20 characters")
def short_alt(notebook):
    find(notebook, "draw(0)").metadata.mystnb.image.alt = "A line"


@breach("figures_are_described", "without a caption")
def no_caption(notebook):
    find(notebook, CAPTION.format("fig-0")).source = '<a id="fig-0"></a>\n**Figure.**'


@breach("figures_are_described", "without a name that starts with 'fig-'")
def no_name(notebook):
    find(notebook, CAPTION.format("fig-0")).source = "**Figure.** What it shows."


@breach("figures_are_described", "without its alt text in the output")
def no_alt_in_output(notebook):
    find(notebook, "draw(0)").outputs[0].metadata = {}


@breach("figures_are_described", "without its alt text in the output")
def old_words_in_output(notebook):
    find(notebook, "draw(0)").outputs[0].data["text/plain"] = "<Figure size 1x1>"


@breach("figures_are_described", "has one caption and shows 0 figures")
def no_figure(notebook):
    find(notebook, "draw(0)").outputs = []


@breach("figures_hide_their_code", "tag it hide-input")
def shown_code(notebook):
    find(notebook, "draw(0)").metadata.tags = []


@breach("figures_hide_their_code", "tag it hide-input")
def shown_code_of_an_explorer(notebook):
    find(notebook, "explorers").metadata.tags = []


@breach("figures_are_described", "has one caption and shows 2 figures")
def figure_beside_an_explorer(notebook):
    drawn = find(notebook, "draw(0)")
    drawn.outputs += find(notebook, "explorers").outputs


@breach("explorers_are_described", "'fig-explorer-size', and names it 'fig-size'")
def misnamed_explorer(notebook):
    find(notebook, CAPTION.format("fig-explorer-size")).source = CAPTION.format(
        "fig-size"
    )


@breach("explorers_are_described", "an explorer without a caption")
def explorer_without_caption(notebook):
    find(notebook, CAPTION.format("fig-explorer-size")).source = "Text"


@breach("explorers_are_described", "an explorer without an aria-label")
def explorer_without_label(notebook):
    edit_html(notebook, 'aria-label="a size to set"', 'aria-label=""')


@breach("html_is_an_explorer_that_stands_alone", "of one explorer, and shows 0")
def other_html(notebook):
    edit_html(notebook, "data-explorer", "data-table")


@breach("html_is_an_explorer_that_stands_alone", "61 kB of HTML, more than 60")
def heavy_html(notebook):
    edit_html(notebook, "a < 1", "x" * 61_000)


@breach("html_is_an_explorer_that_stands_alone", "asks for another file: 'src='")
def html_with_a_file(notebook):
    edit_html(notebook, "a < 1", '<img src="a.png"/>')


@breach("html_is_an_explorer_that_stands_alone", "shows HTML with an id")
def html_with_an_id(notebook):
    edit_html(notebook, "<div", '<div id="size"')


def edit_html(notebook, before, after):
    """Replace a text in the HTML of the explorer."""
    data = find(notebook, "explorers").outputs[0].data
    data["text/html"] = data["text/html"].replace(before, after)


@breach("figures_are_small_drawings", "a figure of 401 kB, more than 400; rasterize")
def large_svg(notebook):
    find(notebook, "draw(0)").outputs[0].data["image/svg+xml"] = "x" * 401_000


@breach("figures_are_small_drawings", "a figure of 401 kB")
def large_png(notebook):
    content = base64.b64encode(b"x" * 401_000).decode()
    find(notebook, "draw(0)").outputs[0].data = {"image/png": content}


@breach("figures_are_small_drawings", "must show one SVG or PNG, and shows image/jpeg")
def photograph(notebook):
    find(notebook, "draw(0)").outputs[0].data = {"image/jpeg": ""}


@breach("figures_are_small_drawings", "carries a date")
def dated_figure(notebook):
    dated = "<svg><dc:date>2026</dc:date></svg>"
    find(notebook, "draw(0)").outputs[0].data["image/svg+xml"] = dated


@breach("exercises_have_solutions", "ex-a has no solution")
def no_solution(notebook):
    find(notebook, SOLUTION).source = "#### Solution\n\nText"


@breach("exercises_have_solutions", "is a solution without an exercise above it")
def lost_solution(notebook):
    notebook.cells.append(new_markdown_cell(SOLUTION))


@breach("exercises_have_solutions", "ex-c has no solution")
def last_exercise_without_solution(notebook):
    [cell] = [cell for cell in notebook.cells if cell.source == SOLUTION][2:]
    cell.source = "Text"


@breach("exercises_have_solutions", "still says 'TODO: the text'; write it.")
def unwritten_solution(notebook):
    find(notebook, "Solved a").source = "Text.\n\nTODO: the text"


@breach("exercises_have_solutions", "still says 'TODO: a mistake'; write it.")
def unwritten_starter(notebook):
    find(notebook, "check()").source += "  # TODO: a mistake"


@breach("headings_begin_cells_after_solutions", "has a heading within a solution")
def heading_below_a_solution(notebook):
    find(notebook, "Solved a").source += "\n\n## Summary"


@breach("headings_begin_cells_after_solutions", "has a heading within a solution")
def heading_late_in_a_cell(notebook):
    notebook.cells.append(new_markdown_cell("Text.\n\n## Summary"))


@breach("labels_name_boxes", "label 'ex-…' above its exercise, and has 'none'")
def unlabeled_exercise(notebook):
    find(notebook, EXERCISE.format("a")).source = "### Exercise\n\nCompute."


@breach("labels_name_boxes", "label 'ex-…' above its exercise, and has 'task'")
def misnamed_exercise(notebook):
    cell = find(notebook, EXERCISE.format("a"))
    cell.source = cell.source.replace("ex-a", "task")


@breach("labels_name_boxes", "the label 'thm-first' above what is no box")
def box_without_its_stop(notebook):
    cell = find(notebook, THEOREM)
    cell.source = cell.source.replace(".**", "**")


@breach("labels_name_boxes", "the label 'ex-z' above what is no box")
def label_within_a_cell(notebook):
    notebook.cells[0].source += "\n\n" + EXERCISE.format("z")


@breach("labels_name_boxes", "the label 'eq-first' above no equation")
def label_far_from_its_equation(notebook):
    cell = find(notebook, "A question, $")
    cell.source = cell.source.replace("$$ x", "Text.\n\n$$ x")


@breach("starters_fail_and_solutions_pass", "is a starter and must print 'Not yet'")
def starter_that_passes(notebook):
    find(notebook, "check()").outputs[0].text = "All 3 properties hold.\n"


@breach("starters_fail_and_solutions_pass", "must print that all properties hold")
def solution_that_fails(notebook):
    find(notebook, "check(1)").outputs[0].text = "Not yet: it must be causal.\n"


@breach("starters_fail_and_solutions_pass", "has no cell tagged exercise-solution")
def starter_without_solution(notebook):
    find(notebook, "check(1)").metadata.tags = []


@breach("starters_fail_and_solutions_pass", "has no cell tagged exercise-solution")
def starter_before_starter(notebook):
    find(notebook, "import torch").metadata.tags = ["exercise-starter"]


@breach("starters_fail_and_solutions_pass", "is a solution without a starter")
def solution_without_starter(notebook):
    find(notebook, "check()").metadata.tags = []


MARKS = {
    "a directive": [":::{note}\nText.\n:::", "```{code-cell}\n1\n```", "Text.\n:::"],
    "an option of a directive": [":class: tip\nText."],
    "a role": ["{glue:text}`x`", "See {numref}`fig-0`."],
    "a target": ["(here)=\n## There"],
    "a label behind an equation": ["$$\nx\n$$ (eq-x)"],
    "attributes": ["[words]{.smaller}", "{#here}\n## There"],
}


@facts("what, mark", [(what, mark) for what, marks in MARKS.items() for mark in marks])
def test_what_only_the_site_understands_is_caught(tmp_path, new_chapter, what, mark):
    notebook, path = new_chapter(tmp_path)
    notebook.cells[0].source += f"\n\n{mark}"
    assert f"cell 1 uses {what}, which" in markdown_degrades_well(notebook, path)[0]


@facts(
    "text",
    ["`{ref}`", "$x$ (see above)", "$\\mathbf{x}_{.5}$", "Time: 5:30", "```\n:::\n```"],
)
def test_what_only_looks_like_a_mark_is_allowed(tmp_path, new_chapter, text):
    notebook, path = new_chapter(tmp_path)
    notebook.cells[0].source += f"\n\n{text}"
    assert markdown_degrades_well(notebook, path) == []


@breach("markdown_degrades_well", "uses a directive")
def directive(notebook):
    notebook.cells[0].source += "\n\n:::{note}\nText.\n:::"


@breach("markdown_has_no_html", "holds raw HTML: '<br>'")
def inline_html(notebook):
    notebook.cells[0].source += " a<br>b"


@breach("markdown_has_no_html", "holds raw HTML: '<div>")
def html_block(notebook):
    notebook.cells[0].source += "\n\n<div>\ntext\n</div>"


@breach("links_have_text", "links to '#eq-first' without words")
def wordless_link(notebook):
    notebook.cells[0].source += " See [](#eq-first)."


@breach("prose_reads_on_paper", "says 'drag', which nobody can do on paper")
def hand_on_paper(notebook):
    notebook.cells[0].source += " Then drag the number down."


@breach("prose_reads_on_paper", "says 'Choose it in [Figure 2](#fig-explorer'")
def choice_on_paper(notebook):
    notebook.cells[0].source += " Choose it in [Figure 2](#fig-explorer-first)."


BOX = "> **A box**\n>\n> - one\n> - two\n\n> **Another box**\n>\n> Text."
TORN = {
    "the first line of a list": ("> - one", "- one"),
    "its last line": ("> - two", "- two"),
    "its title": ("> **A box**", "**A box**"),
    "an empty line": (">\n> - one", "\n> - one"),
}


def tear(kind):
    """Make a change that takes the sign from a line of a box."""
    whole, torn = TORN[kind]

    def change(notebook):
        notebook.cells[0].source += f"\n\n{BOX.replace(whole, torn, 1)}"

    change.__name__ = kind
    return change


for line in TORN:
    breach("quotes_are_whole", "tears a quote at ")(tear(line))


LINKS = {
    "a label that nothing has": (
        "#gone",
        "cell 3 links to #gone, and no cell has that anchor; mend it",
    ),
    "a label with a slip": (
        "#thm-frist",
        "#thm-frist, and no cell has that anchor (the nearest is thm-first); mend it",
    ),
    "a label of another page with a slip": (
        "#other-sectoin",
        "no cell has that anchor (the nearest is other-section)",
    ),
    "a label of another page": (
        "#other-section",
        "which stands on another page; run `make references`.",
    ),
    "a heading that has no anchor yet": (
        "#exercises",
        "cell 3 links to #exercises, a heading without an anchor; run `make refer",
    ),
    "a heading with a slip": (
        "#exercsies",
        "no cell has that anchor (the nearest is exercises); mend it",
    ),
    "a part that a page does not have": (
        "../index.md#other-secton",
        "links to ../index.md#other-secton, and that page has no such part (the nearest"
        " is other-section): the heading may",
    ),
    "a relative address": (
        "../index.md",
        "which leads nowhere in Colab; run `make references`.",
    ),
    "a relative address of no page": (
        "chaptre.ipynb#part",
        "links to chaptre.ipynb#part, and the book has no such page (the nearest is "
        "book/part/chapter); mend the link.",
    ),
    "no page": (
        f"{SITE}part/chaptre.html",
        "the book has no such page (the nearest is book/part/chapter); mend the link.",
    ),
    "no part of a page": (
        f"{SITE}index.html#other-secton",
        "that page has no such part (the nearest is other-section): the heading may",
    ),
}


def linking(to):
    """Let the chapter link somewhere."""

    def change(notebook):
        notebook.cells[2].source += f"\n\n[it]({to})"

    return change


for what, (to, words) in LINKS.items():
    breach("links_lead_somewhere", words, label=what)(linking(to))


@breach("numbers_have_a_source", "says 0.7071, and nothing near it shows that")
def number_from_nowhere(notebook):
    notebook.cells[0].source += " The root mean square is 0.7071."


@breach("numbers_have_a_source", "says 1.235, and nothing near it shows that")
def number_rounded_wrongly(notebook):
    notebook.cells.append(
        new_code_cell("print(x)", outputs=[new_output("stream", text="1.2344")])
    )
    notebook.cells[0].source += " It is 1.235."


@breach("numbers_have_a_source", "says 0.75, and nothing near it shows that")
def number_in_a_description(notebook):
    figure = next(c for c in notebook.cells if "mystnb" in c.metadata)
    figure.metadata["mystnb"]["image"]["alt"] += " The curve ends at 0.75."


@breach("numbers_have_a_source", "computes what does not hold: 0.55 + 0.35 = 0.95")
def equation_that_does_not_hold(notebook):
    notebook.cells[0].source += " So $0.55 + 0.35 = 0.95$."


@breach("labels_name_boxes", "labels an equation 'first'")
def misnamed_equation(notebook):
    cell = find(notebook, "A question, $")
    cell.source = cell.source.replace("eq-first", "first")


@breach("comparisons_rest_on_studies", "does not say what that rests on: 'A is ahead.'")
def comparison_in_a_caption(notebook):
    find(notebook, '<a id="fig-0"').source += " A is ahead."


@breach(
    "comparisons_rest_on_studies", "does not say what that rests on: '| A | best |'"
)
def comparison_in_a_table(notebook):
    find(notebook, "A question, $").source += "\n\n| A | best |\n|---|---|"


@breach(
    "comparisons_rest_on_studies", "what that rests on: '- B needs more steps, A is"
)
def comparison_in_a_summary(notebook):
    text = "## Summary\n\n- B needs more steps, A is harmless."
    notebook.cells.append(new_markdown_cell(text, id="last"))


@breach(
    "comparisons_rest_on_studies", "there is no study 'a.b', no file code/chapters/a"
)
def comparison_without_a_file(notebook):
    find(notebook, '<a id="fig-0"').metadata["rests_on"] = ["a.b"]


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


@facts("name, change, words", BREACHES)
def test_a_broken_notebook_is_caught(tmp_path, new_chapter, name, change, words):
    notebook, path = new_chapter(tmp_path)
    rule = next(rule for rule in RULES if rule.__name__ == name)
    change(notebook)
    assert words in "\n".join(rule(notebook, path))


def test_every_rule_has_a_broken_notebook():
    assert {rule.__name__ for rule in RULES} == {entry.values[0] for entry in BREACHES}


def _allowed(name, source, *, output=None, text=""):
    """A rule, and a cell that looks like a breach of it and is none."""
    return pytest.param(name, source, output, text, id=f"{name}-{source[:20]}")


@facts(
    "name, source, output, text",
    [
        _allowed("outputs_hide_the_machine", "1", output="0.5000 1/3/5 x[0]/2/3 1.25"),
        _allowed("outputs_hide_the_machine", "1", output="shape (2, 3, 5), 1e-12, 0x1"),
        _allowed("lines_are_seen_whole", "1", output=f"{'a' * 88}\n{'b' * 88} "),
        _allowed("markdown_has_no_html", "1", text="`<b>` <https://a.b> $i<j and k>l$"),
        _allowed("markdown_has_no_html", "1", text="```html\n<b>\n```"),
        _allowed("markdown_degrades_well", "1", text="`` {glue}`x` `` ends"),
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
