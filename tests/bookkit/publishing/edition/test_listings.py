"""Every line of code in an EPUB goes on further in than it begins."""

from lxml import html

from bookkit.publishing.edition.listings import keep_short, mark_listings

LONG = '<span class="line" style="--indent: 0ch">long = 1\n</span>'
CODE = f"""\
<div><div class="highlight-ipython3 notranslate"><div class="highlight"><pre>\
<span></span>for x in y:\n{LONG}    if x &lt; 1:\n\n{LONG}        print(x)\n\
</pre></div></div></div>"""


def test_a_short_line_of_code_knows_its_indent_too():
    article = html.fragment_fromstring(CODE)
    before = article.text_content()
    mark_listings(article)
    lines = article.find_class("line")
    assert article.text_content() == before
    assert [line.get("style")[-3:-2] for line in lines] == ["0", "0", "4", "0", "8"]
    assert lines[2].text_content() == "    if x < 1:\n"
    assert article.xpath("count(.//*[@class='line']//*[@class='line'])") == 0


def test_what_is_no_code_keeps_its_lines():
    article = html.fragment_fromstring(CODE.replace("ipython3", "text"))
    mark_listings(article)
    assert len(article.find_class("line")) == 2


def test_only_what_has_few_rows_on_a_phone_stays_on_one_page():
    lines = ["x\n" * 10, "x\n" * 11, f"{'x' * 37}\n" * 5, f"{'x' * 37}\n" * 6]
    article = html.fragment_fromstring(
        f"<div>{''.join(f'<pre>{text}</pre>' for text in lines)}</div>"
    )
    keep_short(article)
    assert [part.get("class") for part in article] == ["short", None, "short", None]
