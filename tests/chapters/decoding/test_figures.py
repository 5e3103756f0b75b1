"""The figures on decoding show the numbers that they are given."""

from chapters.decoding import figures as decoding
from chapters.start import BLUE, INK, ORANGE

TREE = {"I": {"A": 0.6, "B": 0.3, "C": 0.1}, "A": {"D": 0.7, "E": 0.3}, "B": {"F": 1}}


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_the_tree_has_the_probability_of_each_text(drawn):
    marks = {("A", "D"): "greedy", ("C",): "short"}
    decoding.draw_tree(TREE, marks, root="I")
    axes = drawn[0].axes[0]
    ends = ["0.420  greedy", "0.180", "0.300", "0.100  short"]
    assert [said for said in words(axes) if len(said) > 4] == ends
    assert {"I", *"ABCDEF", "0.6", "0.7"} <= set(words(axes))


def test_the_tree_colors_the_steps_of_a_marked_text_alone(drawn):
    decoding.draw_tree(TREE, {("A", "D"): "greedy", ("C",): "short"}, root="I")
    texts = {text.get_text(): text.get_color() for text in drawn[0].axes[0].texts}
    assert texts["A"] == texts["D"] == texts["0.420  greedy"] == ORANGE
    assert texts["C"] == texts["0.100  short"] == BLUE
    assert texts["B"] == texts["E"] == texts["F"] == texts["0.300"] == INK


def test_removed_tokens_are_crossed_out(drawn):
    panels = {str(i): [0.7, 0.3, 0.0] for i in range(6)}
    decoding.draw_filters(panels, ["a", "b", "c"])
    axes = drawn[0].axes[0]
    assert [bar.get_height() for bar in axes.patches] == [0.7, 0.3, 0.0]
    assert len(axes.texts) == 1
    assert axes.texts[0].get_position()[0] == 2
    said = [tick.get_text() for tick in drawn[0].axes[-1].get_xticklabels()]
    assert said == ["a", "b", "c"]


def test_ranges_have_a_row_for_each_way(drawn):
    panels = {"early": {"one": [0.1, 0.3], "two": [0.5, 0.5]}, "late": {"one": [0.9]}}
    decoding.draw_ranges(panels, label="share")
    early, late = drawn[0].axes
    assert [axes.get_title() for axes in (early, late)] == ["early", "late"]
    assert list(early.lines[0].get_xdata()) == [0.1, 0.3]
    assert list(late.lines[0].get_xdata()) == [0.9]


def test_continuations_have_a_dot_for_each_seed_and_budget(drawn):
    early, late = {"one": [0.1, 0.3], "two": [0.2, 0.2]}, {"one": [0.5], "two": [0.6]}
    budgets = {"early": early, "late": late}
    panels = {"repeated": budgets, "words": budgets}
    decoding.draw_continuations(panels, real={"repeated": 0.05, "words": 0.75})
    left, right = drawn[0].axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["one", "two"]
    assert [list(line.get_xdata()) for line in right.lines] == [
        [0.1, 0.3],
        [0.2, 0.2],
        [0.5],
        [0.6],
        [0.75, 0.75],
    ]
    said = [text.get_text() for text in left.get_legend().get_texts()]
    assert said == ["early", "late", "real text"]


def test_rounds_have_a_bar_for_each_token_and_a_line_for_each_beginning(drawn):
    decoding.draw_rounds([0.1, 0.5, 0.9], [0.2, 0.0, 0.3], [0, 2])
    greedy, real = drawn[0].axes
    assert [bar.get_height() for bar in greedy.patches] == [0.1, 0.5, 0.9]
    assert [bar.get_height() for bar in real.patches] == [0.2, 0.0, 0.3]
    assert [line.get_xdata()[0] for line in greedy.lines] == [0.5, 2.5]
    assert words(greedy) == ["first time", "time 2"]
