from bookkit.checking.compare.text import compare_html, compare_text
from bookkit.checking.facts import facts

EQUAL = {
    "last digit up": ("loss 0.1234", "loss 0.1235"),
    "last digit carries": ("1.9999", "2.0000"),
    "last digit carries over a comma": ("1,999.99", "2,000.00"),
    "last digit of a negative number": ("-0.50", "-0.51"),
    "last digit in exponent notation": ("1.25e-03", "1.26e-03"),
    "exponent carries": ("9.99e-06", "1.00e-05"),
    "negative zero": ("-0.00", "0.00"),
    "negative zero without decimals": ("[-0., 1.]", "[0., 1.]"),
    "negative zero of an imaginary part": ("0.50-0.00j", "0.50+0.00j"),
    "a unit after the number": ("1.53x 12.5%", "1.54x 12.4%"),
    "the end of a sentence": ("It is 0.53.", "It is 0.54."),
    "a range of decimals": ("0.51-0.72", "0.52-0.71"),
    "alignment": ("[ 1.00,   2.00]", "[1.00, 2.00]"),
    "the final line end": ("a\n", "a"),
    "Windows line ends": ("a\r\nb\r\n", "a\nb\n"),
    "a device": ("tensor([1, 2], device='cuda:0')", "tensor([1, 2])"),
    "a device on a line of its own": (
        "tensor([1.50],\n       device='cuda:0', dtype=torch.float64)",
        "tensor([1.50], dtype=torch.float64)",
    ),
    "a type wrapped because of a device": (
        "tensor([1.50], device='cuda:0',\n       dtype=torch.float64)",
        "tensor([1.50], dtype=torch.float64)",
    ),
}

DIFFERENT = {
    "a digit before the last": ("loss 0.1234", "loss 0.1244"),
    "two units of the last place": ("0.1234", "0.1236"),
    "the sign": ("-0.50", "0.50"),
    "the exponent": ("1.25e-03", "1.25e-04"),
    "the exponent by two": ("1.25e-03", "1.25e-05"),
    "two exponents apart": ("1.00e-03", "0.01e-01"),
    "the number of decimals": ("0.50", "0.500"),
    "the notation": ("0.50", "0.50e+00"),
    "the digit groups": ("1000.5", "1,000.5"),
    "an integer": ("64 heads", "65 heads"),
    "a decimal without decimals": ("[1., 2.]", "[1., 3.]"),
    "a power without decimals": ("1e-5", "2e-5"),
    "an integer in a range": ("3-5", "3-6"),
    "an integer and a decimal": ("2", "2.0"),
    "a version": ("1.2.3", "1.2.4"),
    "a version with a suffix": ("1.5rc1", "1.6rc1"),
    "a number in an identifier": ("d_k64", "d_k65"),
    "a word": ("the loss falls", "the loss rises"),
    "no number": ("nan", "0.50"),
    "a mark": ("(1, 2)", "[1, 2]"),
    "a percent sign": ("12.5%", "12.5"),
    "a word more": ("a", "a b"),
    "a missing line": ("a\nb\nc", "a\nc"),
    "an extra line": ("a\n", "a\nb\n"),
    "an empty line": ("a\nb", "a\n\nb"),
    "a tensor's type": ("tensor(1, dtype=torch.int8)", "tensor(1)"),
    "a word that names a device": ("on cuda:0", "on cuda:1"),
}


@facts("stored, computed", EQUAL.values(), ids=[*EQUAL])
def test_is_tolerated(stored, computed):
    assert compare_text(stored, computed) is None
    assert compare_text(computed, stored) is None


@facts("stored, computed", DIFFERENT.values(), ids=[*DIFFERENT])
def test_is_caught(stored, computed):
    assert compare_text(stored, computed)
    assert compare_text(computed, stored)


def test_the_sentence_names_line_stored_and_computed():
    assert compare_text("step 1\nloss 0.1234", "step 1\nloss 0.1244") == (
        'line 2: stored "0.1234", computed "0.1244", '
        'in "loss 0.1234" against "loss 0.1244"'
    )


def test_the_sentence_names_a_missing_line():
    assert compare_text("a\nb\n", "a\n") == (
        'line 2 is missing: stored "b" (2 lines stored, 1 computed)'
    )


def test_the_sentence_names_a_new_line():
    assert compare_text("a\n", "a\nb\n") == (
        'line 2 is new: computed "b" (1 lines stored, 2 computed)'
    )


def test_a_long_line_is_shortened_in_the_sentence():
    assert len(compare_text("a " * 5000 + "b", "a " * 5000 + "c")) < 300


def test_a_number_of_ten_thousand_digits_is_compared():
    long = "0." + "1" * 10_000
    assert compare_text(long + "2", long + "3")


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
