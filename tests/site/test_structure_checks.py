"""Each check of a page's structure finds the fault it is there for."""

import page_structure
import pytest
from page_examples import IMAGE, PRICES, RENDERED, SOUND, SOURCES, WORDLESS

from bookkit.checking.facts import facts

POLICY = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta '
    'http-equiv="Content-Security-Policy" content="{policy}"><title>a</title></head>'
    "{body}</html>"
)
OWN = "default-src 'self' file:; script-src 'self'"
# Of the script `let a = 1;`.
HASH = "'sha256-xY6QKfH9PRsQnLz56nj6MBwiK5oHg+im1Jkpdp1x/Ck='"


@pytest.fixture
def write(tmp_path):
    """Write a page with a given body; the value is its file."""

    def write_page(body, form=SOUND, **parts):
        file = tmp_path / f"page-{len(list(tmp_path.iterdir()))}.html"
        file.write_text(form.format(body=body, **parts), "utf-8")
        return file

    return write_page


def test_a_sound_page_passes(write):
    file = write(
        f'<p>Fine: <code>$$x$$</code> {RENDERED} {IMAGE} <a href="#top">up</a>.'
    )
    for look in (
        page_structure.find_source,
        page_structure.find_images_without_words,
        page_structure.find_faults_of_headings,
        page_structure.find_bare_figures,
        page_structure.find_nameless,
        page_structure.find_lost_pointers,
        page_structure.find_bare_tables,
        page_structure.find_small_figures,
    ):
        assert look(file) == [], look.__name__


@facts("body", SOURCES)
def test_source_that_shows_is_found(write, body):
    assert page_structure.find_source(write(body))


@facts("words", PRICES)
def test_price_and_code_are_not_taken_for_a_formula(write, words):
    assert page_structure.find_source(write(f"<p>{words}</p>")) == []


@facts("alt", WORDLESS)
def test_image_without_words_is_found(write, alt):
    file = write(f'<img src="_images/a.svg" {alt}>')
    assert page_structure.find_images_without_words(file) == ["a.svg"]


@facts(
    "body, words",
    [
        ("<h3>too deep</h3>", "too deep is 2 levels down"),
        ("<h1>again</h1>", "2 titles"),
        ("<h2> </h2>", "an empty heading"),
    ],
)
def test_a_wrong_heading_is_found(write, body, words):
    assert page_structure.find_faults_of_headings(write(body)) == [words]


def test_a_page_without_a_language_or_a_title_is_found(write):
    file = write("<h1>a</h1>", form="<!doctype html><title> </title>{body}")
    found = page_structure.find_faults_of_headings(file)
    assert found == ["no language", "no title"]


@facts(
    "look, body",
    [
        (page_structure.find_bare_figures, '<figure id="a"><img></figure>'),
        (
            page_structure.find_bare_figures,
            "<figure><figcaption>a</figcaption>",
        ),
        (page_structure.find_nameless, '<a href="#top"></a>'),
        (page_structure.find_nameless, "<button><i></i></button>"),
        (page_structure.find_nameless, "<details><summary></summary></details>"),
        (page_structure.find_nameless, '<input type="text">'),
        (page_structure.find_nameless, '<iframe src="a.html"></iframe>'),
        (page_structure.find_lost_pointers, '<p aria-labelledby="top gone">a</p>'),
        (page_structure.find_lost_pointers, '<label for="gone">a</label>'),
        (page_structure.find_bare_tables, "<table><tr><td>1</td></tr></table>"),
        (
            page_structure.find_small_figures,
            '<figure><picture><source width="430"><img src="a"></picture></figure>',
        ),
        (
            page_structure.find_small_figures,
            '<figure><picture><source><img src="a"></picture></figure>',
        ),
    ],
)
def test_a_fault_is_found(write, look, body):
    assert len(look(write(f"<article>{body}</article>"))) == 1


@facts(
    "policy, body, faults",
    [
        (OWN, "<p>a</p>", []),
        (f"{OWN} {HASH}", "<script>let a = 1;</script>", []),
        (f"{OWN} {HASH}", "<script>let a = 2;</script>", ["refuses let a = 2;"]),
        (OWN, '<script type="application/json">{}</script>', []),
        (OWN, '<p onclick="go()">a</p>', ["refuses go()"]),
        (OWN, '<a href="javascript:go()">a</a>', ["refuses javascript:go()"]),
        ("script-src 'self'", "", ["no default"]),
        ("default-src 'self'", "", ["scripts of any kind"]),
        (f"{OWN}; img-src https://a.org", "", ["img-src https://a.org"]),
        (f"{OWN}; connect-src *", "", ["connect-src *"]),
        (f"{OWN} 'unsafe-inline'", "", ["scripts of any kind"]),
    ],
)
def test_a_policy_that_lets_too_much_or_too_little_pass_is_found(
    write, policy, body, faults
):
    file = write(body, form=POLICY, policy=policy)
    assert page_structure.find_faults_of_policy(file) == faults


def test_a_page_without_a_policy_is_found(write):
    assert page_structure.find_faults_of_policy(write("")) == ["0 policies"]


def test_what_is_fetched_at_once_is_weighed(write, tmp_path):
    (tmp_path / "a.png").write_bytes(b"a" * 10_000)
    light, heavy = (
        page_structure.weigh_at_least(tmp_path, write(f'<img src="a.png" {way}>').name)
        for way in ('loading="lazy"', "")
    )
    assert light < 1000
    assert 10_000 <= heavy < 11_000
