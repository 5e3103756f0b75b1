"""Chinese in prose is marked, for its font and for a voice."""

from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.chapters import mark_chinese

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
