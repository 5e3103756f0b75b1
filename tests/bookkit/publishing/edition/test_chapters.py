"""The text of a page becomes XHTML for reading devices."""

from types import SimpleNamespace

from lxml import etree
from lxml.html import builder

from bookkit.checking.facts import facts
from bookkit.publishing.edition.chapters import write_chapter

NO_STILLS = SimpleNamespace(take_stills=lambda article: {})
MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'


def read(body, camera=NO_STILLS):
    text = f"<section><h1>C</h1>{body}</section>"
    return etree.fromstring(write_chapter(text, "book/a/c", camera))


@facts(
    "formula, before, after",
    [
        (f'(<span class="math">{MATH}</span>).', ["("], [")."]),
        (f'(<span class="math">{MATH}<wbr/>{MATH}</span>,', ["(", None], [None, ","]),
    ],
)
def test_signs_beside_a_formula_stay_on_its_line(formula, before, after):
    page = read(f"<p>So {formula} And</p>")
    kept = page.findall(".//{*}span[@class='kept']")
    assert [part.text for part in kept] == before
    assert [part[0].tail for part in kept] == after
    assert "".join(page.find(".//{*}p").itertext()).endswith(" And")


def test_only_what_has_few_rows_on_a_phone_stays_on_one_page():
    lines = ["x\n" * 10, "x\n" * 11, f"{'x' * 37}\n" * 5, f"{'x' * 37}\n" * 6]
    page = read("".join(f"<pre>{text}</pre>" for text in lines))
    classes = [part.get("class") for part in page.iter("{*}pre")]
    assert classes == ["short", None, "short", None]


def test_a_still_is_found_from_the_page_that_shows_it():
    image = builder.IMG(alt="A")

    def take_stills(article):
        article.append(image)
        return {"still.png": image}

    page = read("<p>x</p>", SimpleNamespace(take_stills=take_stills))
    assert page.find("{*}img").get("src") == "../../_images/still.png"
