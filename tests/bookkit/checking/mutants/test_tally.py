"""A matrix is kept small, and says who is needed."""

from bookkit.checking.mutants.tally import ALL, FILE, alone, cover, keep, read, words

NOTICED = {"a": {"one"}, "b": {"one", "two"}, "c": {"two", "three"}, "d": set()}
ROWS = {
    "shift": {"how": "live", "by": ["one"], "late": [], "errors": []},
    "x_f__mutmut_1": {
        "how": "live",
        "by": ["one", "two"],
        "late": ["one", "two"],
        "left": 3,
    },
    "x_f__mutmut_2": {"how": "copy", "by": ["three"]},
    "x_f__mutmut_3": {"how": "copy", "by": [ALL]},
    "x_f__mutmut_4": {"how": "copy", "by": []},
    "x_f__mutmut_5": {"how": "copy", "by": [], "errors": ["two"]},
    "x_f__mutmut_6": {"how": "dead", "by": [], "why": "no memory"},
}
RINGS = {"one": 1, "two": 1, "three": 3}


def test_who_notices_alone_is_counted():
    assert alone(NOTICED) == {"one": 1}


def test_a_choice_notices_all_that_is_noticed():
    assert cover(NOTICED) == ["one", "three"]


def test_what_is_kept_is_read_again(tmp_path, write):
    write(tmp_path / FILE, "")
    keep(tmp_path, ROWS, RINGS)
    assert read(tmp_path) == {name: set(row["by"]) for name, row in ROWS.items()}
    assert len((tmp_path / FILE).read_text().splitlines()) < 20


def test_the_words_tell_the_rings_apart_and_name_who_is_not_needed():
    said = words(ROWS, RINGS, ["four"]).splitlines()
    assert said[0].startswith("1 of 1 planted bugs are noticed, 1 in ring 1; 0 were")
    assert any(
        line.startswith("3 of 6 mutants are noticed, 2 in ring 1; 4 were tried in a ")
        and line.endswith("1 seen by a time limit alone.")
        for line in said
    )
    after = {line: said[place + 1].strip() for place, line in enumerate(said[:-1])}
    assert after["  by ring 3 alone: 1"] == "x_f__mutmut_2"
    assert after["  by a fixture that raises alone: 1"] == "x_f__mutmut_5"
    assert "  after the cheapest tests others were not asked: 1" in said
    assert after["  by nobody: 2"] == "x_f__mutmut_4"
    assert "    x_f__mutmut_6: no memory" in said
    assert after["never the only one to notice: 1"] == "two"
    assert after["not asked, since they start processes or fail here: 1"] == "four"
