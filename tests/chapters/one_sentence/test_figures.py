"""The figures of a sentence on its way show the numbers that they are given."""

from matplotlib.colors import to_rgba

from chapters.one_sentence import figures


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_the_story_names_each_word_where_it_stands(drawn):
    figures.draw_story(["a", "b"], ["B", "A"], [1, 0], start="<s>")
    found = words(drawn[0].axes[0])
    assert [word for word in found if word] == [
        *("in memory", "the decoder looks", "and writes", "a", "b"),
        *("after <s>", "B", "after B", "A"),
    ]


def test_an_arrow_of_the_story_leads_to_the_word_that_is_looked_for(drawn):
    figures.draw_story(["a", "b"], ["B", "A"], [1, 0], start="<s>")
    texts = drawn[0].axes[0].texts
    ends = [text.xy for text in texts if getattr(text, "arrow_patch", None)]
    looks = [y for x, y in ends if x < figures.ASKED]
    assert looks == [0, 1]


def test_a_word_that_heard_another_has_an_arrow_of_its_own(drawn):
    figures.draw_story(["a", "b"], ["B", "A"], [1, 0], start="<s>", heard={0: 1})
    axes = drawn[0].axes[0]
    arrows = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
    dashed = [a for a in arrows if a.arrow_patch.get_linestyle() in ("--", "dashed")]
    assert [(a.xyann[1], a.xy[1]) for a in dashed] == [(1, 0)]


def test_wishes_are_written_where_they_are_not_zero(drawn):
    grids = {name: [[0.0, -2.0], [0.5, 0.04]] for name in "ab"}
    figures.draw_wishes(grids, ["x", "y"])
    panels = drawn[0].axes
    assert [axes.get_title() for axes in panels] == [*"ab"]
    assert words(panels[1]) == ["\N{MINUS SIGN}2", "0.5"]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["x", "y"]


def test_the_looks_show_each_machine_with_its_words(drawn):
    maps = {
        "one": ([[0.25, 0.75]], ["x"], ["a", "b"]),
        "two": ([[0.5], [1.0]], ["x", "y"], ["a"]),
    }
    figures.draw_looks(maps)
    first, second = drawn[0].axes
    assert [first.get_title(), second.get_title()] == ["one", "two"]
    assert words(first) == ["0.25", "0.75"]
    assert [label.get_text() for label in second.get_yticklabels()] == ["x", "y"]


def test_the_box_names_its_words_and_its_three_attentions(drawn):
    figures.draw_box("a b", "<s> B", "A")
    found = words(drawn[0].axes[0])
    assert {"a b", "<s> B", "A", "the box", "encoder", "decoder", "memory"} <= {*found}
    attentions = [word.split(":")[0] for word in found if "attention" in word]
    assert attentions == ["self-attention", "masked self-attention", "cross-attention"]


def test_the_memory_of_the_box_leads_to_cross_attention_alone(drawn):
    figures.draw_box("a b", "<s> B", "A")
    texts = drawn[0].axes[0].texts
    arrows = [text for text in texts if getattr(text, "arrow_patch", None)]
    blue = to_rgba(figures.BLUE)
    (end,) = (a.xy for a in arrows if a.arrow_patch.get_edgecolor() == blue)
    (level,) = (t.get_position()[1] for t in texts if "cross" in t.get_text())
    assert end[1] == level
    assert end[0] < figures.RIGHT
