"""The figures of a sentence on its way show the numbers that they are given."""

from chapters.one_sentence import figures


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_the_wiring_names_each_module(drawn):
    figures.draw_wiring()
    found = words(drawn[0].axes[0])
    assert found.count("embedding") == 2
    assert {"encoder", "decoder", "head", "memory", "tied"} <= {*found}


def test_each_station_of_the_path_has_its_numbers_and_its_shape(drawn):
    stations = {
        "encoder": {"sum": [[1.0, -2.0]], "weights": [[0.5, 0.5]], "end": [[9.0]]},
        "decoder": {"logits": [[0.0, -0.01]]},
    }
    tokens = {"encoder": ["a"], "decoder": ["b"]}
    figures.draw_path(stations, tokens=tokens, columns=2)
    panels = drawn[0].axes
    titles = [axes.get_title() for axes in panels]
    assert titles == ["1 sum", "2 weights", "3 end", "", "4 logits", ""]
    assert panels[0].get_xlabel() == "1 x 2"
    assert words(panels[0]) == ["1.0", "-2.0"]
    assert words(panels[4]) == ["0.0", "0.0"]
    assert [label.get_text() for label in panels[4].get_yticklabels()] == ["b"]
