"""The figure on small models shows each gain at its stage."""

from chapters.small_models import figures

STORIES = {
    "bias": [(-0.5, -0.6, -0.4), (0.6, 0.5, 0.7), (-0.1, -0.2, 0.0)],
    "table": [(-0.7, -0.8, -0.6), (0.0, -0.1, 0.1), (0.0, 0.0, 0.0)],
}
UNITS = ("nats", "share right")


def test_a_story_has_a_panel_and_a_row_for_each_stage(drawn):
    figures.draw_turns(STORIES, units=UNITS)
    panels = drawn[0].axes
    assert [axes.get_title() for axes in panels] == list(STORIES)
    assert [axes.get_xlabel() for axes in panels] == [
        "gain (nats)",
        "gain (share right)",
    ]
    names = [name.get_text() for name in panels[0].get_yticklabels()]
    assert names == list(figures.STAGES)
    assert panels[0].yaxis_inverted()


def test_each_gain_has_its_interval_and_the_mean_in_it(drawn):
    figures.draw_turns(STORIES, units=UNITS)
    first = drawn[0].axes[0]
    _, *lines = first.lines
    bars, means = lines[::2], lines[1::2]
    assert [tuple(bar.get_xdata()) for bar in bars] == [
        (-0.6, -0.4),
        (0.5, 0.7),
        (-0.2, 0.0),
    ]
    assert [mean.get_xdata()[0] for mean in means] == [-0.5, 0.6, -0.1]
    assert [mean.get_ydata()[0] for mean in means] == [0, 1, 2]


def test_arrows_lead_from_each_stage_to_the_next(drawn):
    figures.draw_turns(STORIES, units=UNITS)
    arrows = drawn[0].axes[0].texts
    assert [(arrow.xy[0], arrow.xyann[0]) for arrow in arrows] == [
        (0.6, -0.5),
        (-0.1, 0.6),
    ]


def test_zero_is_marked_in_each_panel(drawn):
    figures.draw_turns(STORIES, units=UNITS)
    for axes in drawn[0].axes:
        assert list(axes.lines[0].get_xdata()) == [0, 0]
