"""Tables that have no room on a small page have smaller letters, or are lists."""

from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.tables import fit_tables, let_names_break

HEAD = "<thead><tr><th><p>what</p></th><th><p>found</p></th><th>more</th></tr></thead>"


def table(*cells, classes="table"):
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    body = f"<tbody><tr>{row}</tr></tbody>"
    return html.fragment_fromstring(
        f'<div><table class="{classes}">{HEAD}{body}</table></div>'
    )


@facts("letters, classes", [(29, "table"), (31, "table tight"), (41, "table facts")])
def test_a_table_is_marked_by_the_room_it_needs(letters, classes):
    article = table("a" * letters, "b b b b b b b b b b", "c")
    fit_tables(article)
    assert article[0].get("class") == classes


def test_a_fact_stands_behind_the_name_of_its_column():
    article = table("a" * 61, "<p><code>b</code></p>", "")
    fit_tables(article)
    title, fact, nothing = article.iter("td")
    assert title.text == "a" * 61
    assert html.tostring(fact).decode() == (
        '<td><p><span class="column">found</span> <code>b</code></p></td>'
    )
    assert (len(nothing), nothing.text) == (0, None)


def test_a_table_of_facts_on_a_phone_is_measured_anew():
    fact = '<p><span class="column">found</span> b</p>'
    article = table("a", fact, "c", classes="facts table")
    fit_tables(article)
    assert article[0].get("class") == "table"
    assert [cell.text_content().strip() for cell in article.iter("td")] == [*"abc"]


def test_cards_stay_cards_and_a_cell_without_a_name_takes_their_width():
    name = '<p class="column">found</p><p>b</p>'
    article = table("a" * 61, name, "c", classes="cards table")
    fit_tables(article)
    assert article[0].get("class") == "cards table"
    assert [cell.get("class") for cell in article.iter("td")] == [
        "whole",
        None,
        "whole",
    ]


def test_a_formula_that_may_break_needs_less_room():
    halves = f"<math><mi>{'a' * 27}</mi></math><wbr><math><mi>{'b' * 27}</mi></math>"
    whole = halves.replace("<wbr>", "")
    found = [table(halves, "c", "d"), table(whole, "c", "d")]
    for article in found:
        fit_tables(article)
    assert [article[0].get("class") for article in found] == ["table", "table facts"]


@facts("is_small, words", [(True, "a_ b. c/ d Ef"), (False, "a_ b. c/ dEf")])
def test_a_name_of_code_breaks_between_its_words(is_small, words):
    article = table("<code>a_b.c/dEf</code>", "g_h", "")
    let_names_break(article, on_small_pages=is_small)
    (name,) = article.iter("code")
    assert [name.text, *(joint.tail for joint in name)] == words.split()
