from bookkit.checking.compare.text import compare_html
from bookkit.checking.facts import facts

PAGE = """<div>
<style>
b { margin: 0.5rem; }
</style>
<b title="0.50">0.50</b>
<script type="application/json">
{"numbers": [0.125, 3]}
</script>
<script>
const half = 0.5;
const third = 1 / 3;
</script>
</div>"""


@facts(
    "before, after",
    [("0.50<", "0.51<"), ('"0.50', '"0.49'), ("0.125", "0.126"), ("</b>", "</b> ")],
)
def test_last_digit_of_words_attributes_and_data_is_tolerated(before, after):
    assert compare_html(PAGE, PAGE.replace(before, after)) is None


@facts(
    "before, after, words",
    [
        ("0.50<", "0.52<", 'line 5: stored "0.50", computed "0.52"'),
        ("0.125", "0.127", 'stored "0.125", computed "0.127"'),
        ("3]", "4]", 'stored "3", computed "4"'),
        ("half = 0.5", "half = 0.6", "script or style 2, its line 2: stored"),
        ("1 / 3", "1  / 3", "its line 3: stored"),
        ("1 / 3;\n", "1 / 3;\n\n", "its line 5: stored"),
        ("0.5rem", "0.6rem", "script or style 1, its line 2: stored"),
        ("<script>", "<SCRIPT defer>", "script"),
        ("</div>", "<style></style></div>", "2 scripts and styles are stored and 3"),
        ("numbers", "figures", 'stored "numbers", computed "figures"'),
    ],
)
def test_what_a_reader_or_a_script_would_notice_is_caught(before, after, words):
    changed = PAGE.replace(before, after)
    assert changed != PAGE
    assert words in compare_html(PAGE, changed)
