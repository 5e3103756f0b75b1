"""The bibliography leads back to where its entries are cited first."""

from lxml import html

from bookkit.publishing.edition.citations import link_back

CITATION = '<a class="citation-link" href="../appendix/b.html#x2020">X</a>'
ENTRY = (
    '<div><h1>B</h1><div class="citation" id="x2020"></div>'
    '<div class="citation" id="y2020"></div></div>'
)


def test_an_entry_names_each_chapter_that_cites_it_once():
    texts = {
        "book/a/one.html": f"<div><h1>3. One: more</h1>{CITATION}{CITATION}</div>",
        "book/a/two.html": f"<div><h1>Traps</h1>{CITATION}</div>",
        "book/appendix/b.html": ENTRY,
    }
    articles = {page: html.fragment_fromstring(text) for page, text in texts.items()}
    link_back(articles)
    cited, other = articles["book/appendix/b.html"].find_class("citation")
    assert cited.text_content() == "Cited in chapter 3, Traps."
    assert cited.xpath(".//a/@href") == [
        "../a/one.html#cites-x2020",
        "../a/two.html#cites-x2020",
    ]
    assert other.text_content() == ""
    assert articles["book/a/one.html"].xpath("//@id") == ["cites-x2020"]
