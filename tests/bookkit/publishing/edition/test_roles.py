"""Parts of a chapter say what they are, for screen readers and for devices."""

from lxml import etree, html

from bookkit.publishing.edition.chapters import mark_roles

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
