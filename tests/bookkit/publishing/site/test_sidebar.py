"""The arrows of the sidebar have names; what holds none stays as it is."""

from bookkit.publishing.site.reading import with_names


def test_an_arrow_gets_a_name():
    write = with_names(lambda kind: f"<{kind}><summary><i></i></summary></{kind}>")
    assert '<summary aria-label="Pages of this section"><i>' in write("nav")


def test_an_empty_sidebar_stays_empty():
    assert with_names(lambda: "")() == ""
