"""The text of a page becomes XHTML for reading devices."""

from types import SimpleNamespace

from lxml import etree, html
from lxml.html import builder

from bookkit.checking.facts import facts
from bookkit.publishing.edition.chapters import mark_chinese, mark_roles, write_chapter

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


MARK = '<span lang="zh-Hans">{}</span>'


@facts(
    "prose, marked",
    [
        ("<p>And 猫, a cat</p>", f"<p>And {MARK.format('猫')}, a cat</p>"),
        ("<p>猫猫</p>", f"<p>{MARK.format('猫猫')}</p>"),
        (
            "<p><b>a</b> 猫 or 狗<i>b</i>c</p>",
            f"<p><b>a</b> {MARK.format('猫')} or {MARK.format('狗')}<i>b</i>c</p>",
        ),
    ],
)
def test_chinese_words_of_prose_name_their_language(prose, marked):
    article = html.fragment_fromstring(f'<div lang="en">{prose}</div>')
    mark_chinese(article)
    assert html.tostring(article[0], encoding="unicode") == marked


@facts("part", ["<pre>猫</pre>", "<code>猫</code>", MARK.format("猫"), "<p>cat</p>"])
def test_what_has_the_font_already_stays(part):
    article = html.fragment_fromstring(f"<div>{part}</div>")
    mark_chinese(article)
    assert html.tostring(article[0], encoding="unicode") == part


PAGE = (
    '<section><a class="citation-link" href="b#x">X</a><dl class="glossary"><dt>t</dt>'
    "<dd>d</dd></dl><table><thead><tr><th>h</th></tr></thead><tbody><tr>"
    '<th scope="rowgroup">g</th><th>r</th></tr></tbody></table><i lang="fr">la</i>'
    "</section>"
)


def test_the_parts_of_a_page_say_what_they_are():
    article = html.fragment_fromstring(PAGE)
    mark_roles(article, "book/attention/a.html")
    text = etree.tostring(article, encoding="unicode")
    assert 'epub:type="chapter" role="doc-chapter"' in text
    assert 'epub:type="biblioref" role="doc-biblioref"' in text
    assert '<dt epub:type="glossterm">' in text
    assert '<dd epub:type="glossdef">' in text
    assert [h.get("scope") for h in article.iter("th")] == ["col", "rowgroup", "row"]
    assert '<i lang="fr" xml:lang="fr">' in text
