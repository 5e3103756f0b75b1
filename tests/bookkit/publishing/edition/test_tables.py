"""Tables have letters that a small page has room for."""

from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.pages import clean, relink
from bookkit.publishing.edition.tables import (
    fit_tables,
    let_names_break,
    limit_heights,
    take_narrow,
)

HEAD = "<thead><tr><th><p>what</p></th><th><p>found</p></th><th>more</th></tr></thead>"


def table(*cells, classes="table"):
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    body = f"<tbody><tr>{row}</tr></tbody>"
    return html.fragment_fromstring(
        f'<div><table class="{classes}">{HEAD}{body}</table></div>'
    )


def find_width(*cells, classes="table"):
    article = table(*cells, classes=classes)
    fit_tables(article)
    style = article[0].get("style")
    return style and float(style.removeprefix("--width: "))


def test_a_table_is_as_wide_as_its_longest_words():
    least = find_width("a", "b", "c")
    assert find_width("a " * 40, "b", "c") == least
    assert find_width("a" * 40, "b", "c") > 1.5 * least
    assert find_width("a" * 40, "<code>b</code>", "c" * 30) > 40


def test_a_chinese_sign_takes_the_room_of_two_letters():
    assert find_width("\u5411" * 20, "b", "c") == find_width("a" * 40, "b", "c")


@facts("kind", ["cards", "facts"])
def test_what_is_a_list_on_a_small_page_needs_no_smaller_letters(kind):
    assert find_width("a" * 99, "b", "c", classes=f"{kind} table") is None


def test_a_formula_that_may_break_needs_less_room():
    halves = f"<math><mi>{'a' * 27}</mi></math><wbr><math><mi>{'b' * 27}</mi></math>"
    whole = halves.replace("<wbr>", "")
    assert find_width(halves, "c", "d") < find_width(whole, "c", "d")


@facts("is_small, words", [(True, "a_ b. c/ d Ef"), (False, "a_ b. c/ dEf")])
def test_a_name_of_code_breaks_between_its_words(is_small, words):
    article = table("<code>a_b.c/dEf</code>", "g_h", "")
    let_names_break(article, on_small_pages=is_small)
    (name,) = article.iter("code")
    assert [name.text, *(joint.tail for joint in name)] == words.split()


PICTURE = (
    '<div><picture><source srcset="n.svg" width="401" height="410">'
    '<img src="w.svg" width="702" height="196" alt="A"></picture></div>'
)


@facts(
    "width, shown",
    [(614, ["n.svg", "401", "410"]), (613, ["w.svg", "613", "196"])],
)
def test_a_figure_that_is_too_wide_is_its_narrow_form(width, shown):
    page = read(PICTURE.replace("702", str(width)))
    take_narrow(page)
    (image,) = clean(page).iter("img")
    assert [image.get(name) for name in ("src", "width", "height")] == shown
    assert image.get("alt") == "A"


def test_a_figure_that_is_too_wide_is_there_in_both_forms():
    page = read(PICTURE)
    take_narrow(page)
    (form,) = clean(page).xpath("./div/picture/source")
    assert (form.get("srcset"), form.get("width")) == ("w.svg", None)
    assert "orientation: portrait" in form.get("media")
    assert form.get("type") == "image/svg+xml"
    relink(page, "book/a.html", lambda *_: None, lambda path: f"images/{path}")
    assert page.xpath(".//@srcset | .//@src") == [
        "images/book/w.svg",
        "images/book/n.svg",
    ]


@facts("height, width", [(410, "30.1em"), (650, "27.0em"), (900, "25.1em")])
def test_a_narrow_form_grows_with_letters_and_fits_its_page(height, width):
    page = read(PICTURE.replace("410", str(height)))
    take_narrow(page)
    assert page.xpath(".//img/@style") == [f"width: {width}"]


def test_a_tall_figure_may_be_low_and_keeps_its_letters_legible():
    page = read(
        "".join(f'<figure><img src="a" height="{h}"></figure>' for h in (480, 800))
    )
    limit_heights(page)
    styles = [image.get("style") for image in page.iter("img")]
    assert styles == [None, "max-height: max(60vh, 600px)"]


def read(inside):
    return html.fragment_fromstring(f"<article>{inside}</article>")
