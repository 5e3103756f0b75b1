"""What each explorer of position and attention shows when a reader moves it."""

import pytest
from explorer_use import drag, explorer_of


@pytest.fixture
def open_explorer(show_alone):
    """Show an explorer in a page of its own; the value is the page."""
    return lambda name: show_alone(explorer_of(name)._repr_html_())


def read(page, *names):
    """Read numbers by the names of their parts."""
    return [page.locator(f'[data-part="{name}"]').text_content() for name in names]


def slide(page, name, key, times=1):
    """Press a key on a control, some times."""
    for _ in range(times):
        page.locator(f'[name="{name}"]').press(key)


def press(page, part, key, times=1):
    """Press a key on a handle, some times."""
    for _ in range(times):
        page.locator(f'[data-part="{part}"]').press(key)


MATRIX = "turn-00", "turn-01", "turn-10", "turn-11"
VECTORS = "start-00", "start-10", "end-00", "end-10"


def changed(page):
    """List the parts that are marked as changed by the last move."""
    marked = page.locator(".explorer-changed").all()
    return {part.get_attribute("data-part") for part in marked}


SUM = "total", "part-0", "part-1", "part-2", "part-3"
TURNS = "turn-0", "turn-1", "turn-2", "turn-3"


def test_both_words_change_the_vectors_and_not_the_matrix(open_explorer):
    page = open_explorer("sinusoidal")
    same = read(page, *MATRIX, *SUM, *TURNS)
    for position in range(7, 15):
        press(page, "both", "ArrowRight")
        assert read(page, *MATRIX, *SUM, *TURNS) == same
        assert changed(page) <= {*VECTORS}
        told = f"From cat at {position} to dog at {position + 3}"
        assert told in page.inner_text("output")
    assert changed(page)


def test_dragged_number_moves_hands_and_dots_and_not_the_dot_product(open_explorer):
    page = open_explorer("sinusoidal")
    same, dot = read(page, *SUM), page.locator('[data-part="dot"]')
    place = dot.get_attribute("cx"), dot.get_attribute("cy")
    hands = page.locator('[data-part="hand-query"]')
    before = hands.get_attribute("d")
    drag(page, "both", by=(80, 0))
    assert hands.get_attribute("d") != before
    assert read(page, *SUM) == same
    assert (dot.get_attribute("cx"), dot.get_attribute("cy")) == place


def test_dog_changes_the_matrix_and_not_the_vector_of_cat(open_explorer):
    page = open_explorer("sinusoidal")
    start = read(page, "start-00", "start-10")
    press(page, "key", "ArrowRight")
    assert {*MATRIX, *TURNS, "end-00", "end-10", "total"} <= changed(page)
    assert read(page, "start-00", "start-10") == start


def test_dot_product_is_the_same_on_both_sides(open_explorer):
    page = open_explorer("sinusoidal")
    press(page, "key", "ArrowLeft", times=3)
    assert read(page, *SUM) == ["4.00", "1.00", "1.00", "1.00", "1.00"]
    assert read(page, *MATRIX) == ["1.000", "0.000", "0.000", "1.000"]
    sums = []
    for key, times in (("ArrowRight", 4), ("ArrowLeft", 8)):
        press(page, "key", key, times=times)
        sums.append(read(page, *SUM))
    assert sums[0] == sums[1]
    assert read(page, "both-word") == ["\N{MINUS SIGN}4"]


def test_pressed_lane_is_the_one_of_the_equation(open_explorer):
    page = open_explorer("sinusoidal")
    page.locator('[data-part="lane-3"]').click(position={"x": 300, "y": 40})
    assert page.locator("[name=pair]").input_value() == "3"
    assert page.locator(".chosen").get_attribute("data-part") == "lane-3"
    assert "the hand of pair 3 turns by 0.09 radians" in page.inner_text("output")


SCORE = "offset", "total", "part-0", "part-1"


def find_positions(page):
    """Read where the two words of the rotary explorer stand."""
    handles = (page.locator(f'[data-part="{name}"]') for name in ("query", "key"))
    return [float(handle.get_attribute("aria-valuenow")) for handle in handles]


def test_both_dragged_keep_the_score_while_all_hands_turn(open_explorer):
    page = open_explorer("rotary")
    before, hand = read(page, *SCORE), page.locator('[data-part="query-0"]')
    turned = hand.get_attribute("transform")
    for by in (90, -30, 50):
        drag(page, "both", by=(by, 0))
        assert read(page, *SCORE) == before
        assert changed(page) == set()
        assert hand.get_attribute("transform") != turned
    query, key = find_positions(page)
    assert key - query == 2
    assert query > 6


def test_both_moved_keep_the_score_up_to_the_ends_of_the_text(open_explorer):
    page = open_explorer("rotary")
    before = read(page, *SCORE)
    for key, expected in (("End", [18, 20]), ("Home", [0, 2]), ("ArrowUp", [1, 3])):
        press(page, "both", key)
        assert find_positions(page) == expected
        assert read(page, *SCORE) == before
    assert "The query of cat at 1 and the key of dog at 3" in page.inner_text("output")
    assert "Both move together." in page.inner_text("output")


def test_dragged_word_falls_into_a_place_when_it_is_let_go(open_explorer):
    page = open_explorer("rotary")
    slot = page.locator(".place").nth(1).bounding_box()["x"]
    slot -= page.locator(".place").nth(0).bounding_box()["x"]
    drag(page, "key", by=(3.3 * slot, 20))
    assert find_positions(page) == [4, 9]
    assert read(page, "offset", "both-word") == ["5", "+5"]
    drag(page, "query", by=(-999, 0))
    assert find_positions(page) == [0, 9]


def test_key_moved_alone_changes_the_score_and_the_dot(open_explorer):
    page = open_explorer("rotary")
    dot, before = page.locator("[data-part=dot]"), read(page, "total")
    place = dot.get_attribute("cx")
    press(page, "key", "ArrowRight")
    assert read(page, "offset") == ["3"]
    assert read(page, "total") != before
    assert float(dot.get_attribute("cx")) == float(place) + 8


def read_weights(page):
    """Read the weight of each word."""
    names = [f"weight-{word}" for word in range(6)]
    return [float(weight) for weight in read(page, *names)]


def test_query_dragged_to_a_word_listens_to_it(open_explorer):
    page = open_explorer("self_attention")
    width = page.locator("svg").first.bounding_box()["width"]
    drag(page, "query", by=(-0.67 * width, -0.15 * width))
    weights = read_weights(page)
    assert weights.index(max(weights)) in (2, 3)  # loan or desert, on the left
    bars = page.locator("td rect.glide").all()
    assert [float(bar.get_attribute("width")) / 100 for bar in bars] == pytest.approx(
        weights, abs=0.006
    )
    assert sum(weights) == pytest.approx(1, abs=0.03)


def test_longer_query_makes_the_weights_harder(open_explorer):
    page = open_explorer("self_attention")
    before = read_weights(page)
    press(page, "query", "ArrowRight", times=5)
    press(page, "query", "ArrowUp", times=2)
    assert max(read_weights(page)) > max(before)
    told = page.locator('[data-part="query"]').get_attribute("aria-valuetext")
    assert told == "water 2.0, money 0.9"


def test_query_of_no_length_listens_to_all_alike(open_explorer):
    page = open_explorer("self_attention")
    press(page, "query", "ArrowLeft", times=15)
    press(page, "query", "ArrowDown", times=7)
    assert read_weights(page) == 6 * [0.17]
    assert page.complaints == []


def test_undivided_softmax_over_many_features_does_not_move_any_more(open_explorer):
    page = open_explorer("self_attention")
    slide(page, "size", "End")
    soft = read_weights(page)
    drag(page, "query", by=(-160, 40))
    assert read_weights(page) != soft
    slide(page, "root", "Space")
    hard = read_weights(page)
    assert max(hard) == 1
    drag(page, "query", by=(160, -40))
    assert read_weights(page) == hard
    assert read(page, "entropy", "largest", "trace") == ["0.00", "1.00", "0.00"]
    assert "Scores over 1024 features, not divided." in page.inner_text("output")
    assert page.get_attribute('[name="size"]', "aria-valuetext") == "1024"


def test_divisor_follows_the_root_of_the_dimension(open_explorer):
    page = open_explorer("self_attention")
    slide(page, "size", "ArrowRight")
    assert "Scores over 4 features, divided by √4 = 2.0" in page.inner_text("output")


def test_a_word_dragged_in_one_head_moves_in_both(open_explorer):
    page = open_explorer("multi_head_attention")
    names = [f"{role}-{head}" for role in ("query", "key", "value") for head in (0, 1)]
    before = read(page, *names)
    drag(page, "lost-1", by=(60, 25))
    places = [
        page.locator(f'[data-part="lost-{head}"]').get_attribute("transform")
        for head in (0, 1)
    ]
    assert places[0] == places[1]
    after = read(page, *names)
    assert all(a != b for a, b in zip(after, before, strict=True))


def test_a_phrase_moves_words_and_not_the_query(open_explorer):
    page = open_explorer("multi_head_attention")
    query, outputs = (
        read(page, *(f"{name}-{head}" for head in (0, 1)))
        for name in ("query", "output")
    )
    page.locator("[name=phrase]").select_option("pen they")
    assert read(page, "query-0", "query-1") == query
    found = read(page, "output-0", "output-1")
    signs = [text.startswith("\N{MINUS SIGN}") for text in (*outputs, *found)]
    assert signs == [False, True, True, False]
    assert "at pen with" in page.inner_text("output")
    assert "head 2 at they with" in page.inner_text("output")


def test_a_cut_vector_gives_each_head_one_feature(open_explorer):
    page = open_explorer("multi_head_attention")
    page.locator("[name=cut]").check()
    for role in ("query", "key", "value"):
        assert read(page, f"{role}-0", f"{role}-1") == ["0.30", "1.80"]
    press(page, "lost-0", "ArrowRight", times=3)
    assert read(page, "query-0", "query-1") == ["0.60", "1.80"]
    assert "4 of 8 answers are right" in page.inner_text("output")


def test_pressed_numbers_lead_back_to_the_word(open_explorer):
    page = open_explorer("one_sentence")
    assert read(page, "line-2-0", "line-2-3", "line-3-3") == ["sum", "55.057", "18.352"]
    for part, told in (
        ("units-3", "units, red: 0.94"),
        ("excess-3", "excess, rouge: 0.94"),
        ("share-3", "share, rouge: 2.44"),
        ("sum-3", "sum, red: 2.44"),
        ("norm-4", "norm, noun: 1.73"),
        ("word-4", "word, noun: 1.00"),
    ):
        page.locator(f'[data-part="{part}"]').click(force=True)
        assert told in page.inner_text("output")
    assert read(page, "line-0-0", "line-0-3", "line-1-0") == ["maison", "1.000", "sum"]


def test_both_words_moved_change_two_of_six_schemes(open_explorer):
    page = open_explorer("field_guide")
    press(page, "both", "ArrowRight")
    assert changed(page) == {"score-1", "score-2"}  # sines and table
    press(page, "key", "ArrowRight")
    assert {"score-3", "score-4", "score-5"} <= changed(page)
    press(page, "key", "End")
    assert read(page, "score-0", "score-2") == ["\N{MINUS SIGN}1.00", "no row"]


def test_pushes_make_a_word_surer_of_what_comes(open_explorer):
    page = open_explorer("embeddings")
    for _ in range(5):
        page.get_by_role("button").click()
    sure = [float(chance) for chance in read(page, "chance-0", "chance-1")]
    assert sure[0] > 0.85
    page.locator("[name=next]").select_option("stops")
    page.get_by_role("button").click()
    assert float(read(page, "chance-0")[0]) < sure[0]


def test_the_verb_decides_the_word_until_nobody_looks_at_its_note(open_explorer):
    page = open_explorer("encoder_decoder")
    for key, times in (("ArrowLeft", 40), ("ArrowUp", 40)):
        press(page, "verb", key, times=times)
    assert read(page, "verb-word", "rive", "banque") == ["lends", "8.4", "12.9"]
    page.locator("[name=without]").select_option("cross")
    assert read(page, "money-2", "rive", "banque") == ["3.8", "3.7", "3.7"]
    assert "score the same" in page.inner_text("output")


def test_a_loss_at_its_end_does_not_tell_of_a_wrong_text(open_explorer):
    page = open_explorer("one_page")
    press(page, "step", "End")
    assert "the loss is 0.01 and the text “hhc”" in page.inner_text("output")
    page.locator("[name=change]").select_option("no position")
    assert read(page, "step-word", "come") == ["200", "return x"]
    assert "the loss is 1.13" in page.inner_text("output")


def test_turns_tell_what_a_file_would(open_explorer):
    page = open_explorer("model_zoo")
    for turn, said in (
        (0, "no name and no shape in the layer"),
        (1, "strict loading stops"),
        (2, "no name and no shape in the layer"),
    ):
        press(page, f"turn-{turn}", "End")
        assert said in page.inner_text("output")
    for turn in (3, 4, 5):
        press(page, f"turn-{turn}", "End")
    assert "the six choices of Llama" in page.inner_text("output")
    assert read(page, "tensors", "numbers") == ["9", "3,540,096"]


def test_an_untied_head_is_the_vocabulary_once_more(open_explorer):
    page = open_explorer("is_it_the_model")
    page.locator("[name=tied]").uncheck()
    assert read(page, "embedding-count", "head-count") == 2 * ["38,597,376"]
    assert "38,597,376 too many" in page.inner_text("output")
    press(page, "width", "Home")
    assert read(page, "width-word") == ["d = 64"]
