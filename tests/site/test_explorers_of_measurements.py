"""Explorers of stored measurements: what a reader can do with them beyond controls."""

from dataclasses import replace

import page_visit
from explorer_use import drag, look

from bookkit.checking.facts import facts
from chapters.big_picture import explorer as big_picture
from chapters.big_picture.endings import PROMPTS
from chapters.decoding import explorer as decoding
from chapters.decoding.sampling import explorer as sampling
from chapters.inside import explorer as inside
from chapters.norm_placement import explorer as norm_placement
from chapters.training import explorer as translator_attention

LAYERS = big_picture.show()._repr_html_()
MAPS = translator_attention.show()._repr_html_()
BEAM = decoding.show()._repr_html_()
STACKS = norm_placement.show()._repr_html_()
HEADS = inside.show()._repr_html_()
WORDS = sampling.show()._repr_html_()
READOUT = ".explorer-readout"
PHONE = {"viewport": page_visit.PHONE, "has_touch": True, "is_mobile": True}


def read_ends(page):
    """Read how the five texts go on."""
    return page.locator(".endings p b").all_text_contents()


def test_all_texts_go_on_as_the_dragged_layer_says(show_alone):
    page = show_alone(LAYERS)
    assert read_ends(page) == ["Paris", "runs", "short", "away", "cat"]
    page.locator("[data-part=layer]").press("ArrowDown")
    assert read_ends(page) == ["capital", "run", "short", "away", "one"]
    drag(page, "layer", by=(0, 999))
    assert page.locator("[data-part=layer]").get_attribute("aria-valuenow") == "1"
    assert read_ends(page)[0] == "a"
    drag(page, "layer", by=(0, -999))
    assert read_ends(page)[0] == "Paris"


def test_page_draws_the_texts_of_a_reader_as_those_of_the_book(show_alone):
    drawn = show_alone(replace(big_picture.show(), kept=False)._repr_html_())
    assert look(drawn) == look(show_alone(LAYERS))
    assert drawn.complaints == []


def test_pressed_layer_is_read(show_alone):
    page = show_alone(LAYERS)
    page.locator("[data-part=ladder] text").nth(26).click()  # a third one
    assert page.locator(READOUT).inner_text().startswith("After layer 27, “the” ")
    assert page.locator("[data-part=layer-word]").text_content() == "27"
    assert page.locator("[data-part=ladder] .here").all_text_contents() == ["the"]


@facts("way", ["press", "touch", "choose"])
def test_another_text_brings_its_own_guesses(show_alone, way):
    page = show_alone(LAYERS, **(PHONE if way == "touch" else {}))
    line = page.locator("[data-part=text-4]")
    if way == "choose":
        page.locator("[name=text]").select_option("4")
    else:
        line.tap() if way == "touch" else line.click()
    assert page.locator("[name=text]").input_value() == "4"
    assert page.locator(".endings .chosen").inner_text() == f"{PROMPTS[4]} cat"
    words = page.locator(".endings tbody th").all_text_contents()
    assert words[:2] == ["cat", "elephant"]
    assert page.locator("tr.answer").count() == 1
    assert page.complaints == []


def test_every_end_is_seen_whole(show_alone):
    for screen in (PHONE, {"viewport": page_visit.DESKTOP}):
        page = show_alone(LAYERS, **screen)
        for _ in range(30):
            cut = "(e) => e.scrollWidth > e.clientWidth"
            lines = page.locator(".endings p").all()
            assert not any(line.evaluate(cut) for line in lines)
            page.locator("[data-part=layer]").press("ArrowDown")


def read_words(page, name):
    """Read the words of a column that are there."""
    parts = page.locator(f"text[data-part^={name}-]").all_text_contents()
    return [word for word in parts if word]


def test_pointing_at_a_word_shows_what_it_looks_at(show_alone):
    page = show_alone(MAPS)
    page.locator("[data-part=query-3]").hover()
    assert page.locator(READOUT).inner_text().startswith("To write “deux”")
    assert page.locator("[data-part=word-word]").text_content() == "deux"
    page.locator("[data-part=key-1]").hover()  # what is looked at chooses nothing
    assert page.locator("[data-part=word-word]").text_content() == "deux"


def test_touching_a_word_shows_it_too(show_alone):
    page = show_alone(MAPS, **PHONE)
    page.locator("[data-part=query-3]").tap()
    assert page.locator(READOUT).inner_text().startswith("To write “deux”")
    assert page.complaints == []


def test_dragged_word_takes_its_ribbons_along(show_alone):
    page = show_alone(MAPS)
    ribbons = page.locator("[data-part=chosen]")
    before = ribbons.get_attribute("d")
    drag(page, "word", by=(0, 999))
    assert page.locator(READOUT).inner_text().startswith("To write “end”")
    assert ribbons.get_attribute("d") != before
    drag(page, "word", by=(0, -999))
    assert page.locator("[data-part=word-word]").text_content() == "quatre"


def test_pressed_heads_disagree_about_a_word(show_alone):
    page = show_alone(MAPS)
    page.locator("[data-part=query-4]").hover()  # "cent"
    heads = page.locator(".each-head button")
    told = []
    for name in ("layer 2, head 1", "layer 2, head 3"):
        heads.filter(has_text=name).press("Enter")
        told.append(page.locator(READOUT).inner_text())
        pressed = page.locator("[aria-pressed=true]")
        assert pressed.all_inner_texts() == [name]
    assert "% from “hundred”" in told[0].split(",")[1]
    assert "% from “and”" in told[1].split(",")[1]


def test_a_shorter_sentence_has_fewer_words_and_keeps_the_chosen_one_inside(show_alone):
    page = show_alone(MAPS)
    page.locator("[data-part=word]").press("End")
    page.locator("[name=sentence]").select_option("2")
    assert len(read_words(page, "key")) == 6
    assert len(read_words(page, "query")) == 5  # and one stands on the handle
    assert page.locator("[data-part=word]").get_attribute("aria-valuenow") == "6"
    assert page.locator("[data-part=word-word]").text_content() == "end"


def test_percents_beside_the_keys_are_those_that_are_told(show_alone):
    page = show_alone(MAPS)
    for _ in range(3):
        page.locator("[data-part=word]").press("ArrowDown")
        shown = sorted(read_words(page, "share"))
        told = page.locator(READOUT).inner_text().split("takes ")[1].split(", ")
        assert shown == sorted(share.split(" from")[0] for share in told)


def test_tree_grows_and_shrinks_under_the_mouse_and_stops_at_the_ends(show_alone):
    page = show_alone(BEAM)
    step, readout = page.locator("[data-part=step]"), page.locator(READOUT)
    drag(page, "step", by=(0, 999))
    assert readout.inner_text().startswith("Step 7 of 7: no live text")
    assert step.get_attribute("aria-valuetext") == "7 of 7"
    drag(page, "step", by=(0, -999))
    assert readout.inner_text().startswith("Step 1 of 7: live 4, ended so far 0.")
    assert step.get_attribute("aria-valuenow") == "1"


def test_what_is_followed_grows_with_the_tree(show_alone):
    page = show_alone(BEAM)
    followed = page.locator("[data-part=followed]")
    page.locator("[data-part=step]").press("ArrowDown")
    assert "quatre-vingt-seize [end]”" in followed.get_attribute("aria-valuetext")
    for text in ("vingt-seize”", "quatre-vingt”", "cent quatre”"):
        followed.press("ArrowUp")
        assert text in followed.get_attribute("aria-valuetext")


def test_what_is_followed_is_there_again_after_steps_back(show_alone):
    page = show_alone(BEAM)
    followed, step = (
        page.locator(f"[data-part={name}]") for name in ("followed", "step")
    )
    step.press("Home")
    assert followed.get_attribute("aria-valuetext").startswith("“trois”")
    step.press("End")
    assert "vingt-seize [end]”" in followed.get_attribute("aria-valuetext")


def test_pressed_word_is_followed_and_pressed_number_is_the_step(show_alone):
    page = show_alone(BEAM)
    words = page.locator("[data-part=words] text")
    words.get_by_text("cinquante", exact=True).click()
    assert "You follow “trois cent cinquante”" in page.locator(READOUT).inner_text()
    for step in ("7", "2"):
        words.get_by_text(step, exact=True).click()
        assert page.locator(READOUT).inner_text().startswith(f"Step {step} of 7")


def test_a_search_with_fewer_steps_has_a_smaller_tree(show_alone):
    page = show_alone(BEAM)
    page.locator("[data-part=step]").press("End")
    page.locator("[name=number]").select_option("5000")
    told = page.locator("[data-part=step]").get_attribute("aria-valuetext")
    assert told == "4 of 4"
    assert "is wrong, it should be “cinq mille”" in page.locator(READOUT).inner_text()
    winner = page.locator("[data-part=followed]").get_attribute("aria-valuetext")
    assert winner.endswith("ended.")


def test_greedy_decoding_follows_one_text(show_alone):
    page = show_alone(BEAM)
    page.locator("[name=width]").press("Home")
    live = page.locator("[data-part=words] .live").all_text_contents()
    assert live == ["begin", "trois", "cent", "quatre", "-vingt", ""]
    assert page.locator("[data-part=followed-word]").text_content() == "-dix"
    dropped = page.locator("[data-part=words] .note").all_text_contents()
    assert "-seize" in dropped


# The words that the plate of a tree covers, or that another word touches.
TOUCHED = """(tree) => {
  const plate = tree.querySelector("[data-part=grip]"), touched = [];
  const words = [...tree.querySelectorAll("[data-part=words] text")]
    .filter((word) => word.textContent);
  const boxes = [plate, ...words].map((part) => part.getBoundingClientRect());
  words.forEach((word, i) => boxes.slice(0, i + 1).forEach((other) => {
    const box = boxes[i + 1], high = Math.min(box.bottom, other.bottom);
    const near = box.left < other.right && other.left < box.right;
    if (near && high > Math.max(box.top, other.top)) touched.push(word.textContent);
  }));
  return touched;
}"""


@facts("number", [*map(str, decoding.SHOWN)])
def test_no_word_of_a_tree_touches_another_or_the_plate(show_alone, number):
    page = show_alone(BEAM)
    page.locator("[name=number]").select_option(number)
    page.locator("[name=width]").press("End")
    page.locator("[data-part=step]").press("End")
    followed, tree = (page.locator(f"[data-part={p}]") for p in ("followed", "tree"))
    for _ in range(int(page.locator("[data-part=step-word]").text_content())):
        followed.press("Home")
        for _ in range(10):
            assert tree.evaluate(TOUCHED) == []
            followed.press("ArrowRight")
        followed.press("ArrowUp")
    assert page.complaints == []


def test_plate_below_a_row_is_dragged_along_its_row(show_alone):
    page = show_alone(BEAM)
    followed = page.locator("[data-part=followed]")
    followed.press("ArrowUp")
    followed.press("End")
    told = followed.get_attribute("aria-valuetext")
    drag(page, "followed", by=(2, 0))
    assert followed.get_attribute("aria-valuetext") == told
    drag(page, "followed", by=(-999, 0))
    assert "trois cent quatre-vingt”" in followed.get_attribute("aria-valuetext")


def test_lines_without_a_text_are_not_drawn(show_alone):
    page = show_alone(BEAM)
    lines = page.locator(".beam div p")
    assert lines.count() == 5
    wide = "(e) => parseFloat(getComputedStyle(e).borderBottomWidth)"
    assert {line.evaluate(wide) for line in lines.all()} == {0}


def read_column(page, name):
    """Read a column of the words that come next."""
    return page.locator(f"[data-part={name}] text").all_text_contents()


def test_dragged_line_strikes_out_what_is_below_it(show_alone):
    page = show_alone(WORDS)
    page.locator("[data-part=cut]").press("Home")
    gone = page.locator("[data-part=word] .gone")
    assert gone.count() == sampling.LISTED
    assert read_column(page, "after")[:2] == ["1.000", "0"]
    drag(page, "cut", by=(0, 999))
    assert gone.count() == 0
    assert (
        page.locator(READOUT)
        .inner_text()
        .startswith(
            "At T = 1.0, top-k 49,152 keeps 49,152 words, which had 1.00 together."
        )
    )
    assert read_column(page, "after") == read_column(page, "share")


def test_each_rule_keeps_its_own_cut(show_alone):
    page = show_alone(WORDS)
    for rule, word in (("top-p", "0.90"), ("min-p", "0.1"), ("top-k", "5")):
        page.locator("[name=rule]").select_option(rule)
        assert page.locator("[data-part=cut-word]").text_content() == word
        assert page.locator("[data-part=head]").text_content() == rule


def test_dragged_temperature_divides_the_logits_and_stops_at_the_ends(show_alone):
    page = show_alone(WORDS)
    assert read_column(page, "scaled") == read_column(page, "logit")
    drag(page, "temperature", by=(999, 0))
    assert read_column(page, "scaled")[0] == "8.7"
    drag(page, "temperature", by=(-999, 0))
    assert read_column(page, "scaled")[0] == "173.7"
    handle = page.locator("[data-part=temperature]")
    assert handle.get_attribute("aria-valuetext") == "T = 0.1"


def test_top_p_lets_thousands_in_when_it_is_hot(show_alone):
    page = show_alone(WORDS)
    page.locator("[name=rule]").select_option("top-p")
    for _ in range(5):
        page.locator("[data-part=temperature]").press("ArrowRight")
    told = page.locator(READOUT).inner_text()
    assert told.startswith("At T = 1.5, top-p 0.90 keeps 3,285 words")
    assert read_column(page, "word")[-1] == "3,265 of 49,132 others"


def test_draws_come_again_with_their_seed_and_add_up(show_alone):
    first, again = (show_alone(WORDS, beside=beside) for beside in (False, True))
    before = read_column(first, "drawn")
    told = []
    for page in (first, again):
        page.locator("[data-part=draw]").click()
        assert "(seed 2)" in page.locator(READOUT).inner_text()
        told.append(read_column(page, "drawn"))
    assert told[0] == told[1] != before
    assert sum(map(int, told[0])) == 100


def test_another_beginning_has_other_words_and_keeps_the_cut(show_alone):
    page = show_alone(WORDS)
    page.locator("[name=text]").select_option("unsure")
    assert (
        read_column(page, "word")[:-1]
        == sampling.show().data["texts"]["unsure"]["words"]
    )
    assert "top-k 5 keeps 5 words" in page.locator(READOUT).inner_text()
    assert page.locator("[data-part=word] .gone").first.text_content() == "of"


def test_stacks_without_norms_change_the_scale(show_alone):
    page = show_alone(STACKS)
    page.locator("[name=measure]").select_option("gradient")
    last = page.locator("[data-part=post-tick-2]")
    assert last.text_content() == "10"
    assert page.locator("[data-part=none]").is_hidden()
    page.locator("[name=none]").check()
    assert last.text_content() == "10⁸"
    assert page.locator("[data-part=none]").is_visible()
    assert "no norm" in page.locator(READOUT).inner_text()
    page.locator("[data-part=top]").press("End")
    assert "no norm not measured" in page.locator(READOUT).inner_text()
    assert page.locator("[data-part=none-note]").text_content() == "no data"


def test_stacks_grow_under_the_mouse_and_with_buttons(show_alone):
    page = show_alone(STACKS)
    top, readout = page.locator("[data-part=top]"), page.locator(READOUT)
    drag(page, "top", by=(0, 999))
    assert top.get_attribute("aria-valuetext") == "2 layers"
    assert page.locator("[data-part=fewer]").is_disabled()
    for layers in (4, 6, 8, 12, 16, 24, 48):
        page.locator("[data-part=more]").click()
        assert readout.inner_text().startswith(f"{layers} layers")
    assert page.locator("[data-part=more]").is_disabled()
    height = page.locator("[data-part=lid]").bounding_box()["y"]
    page.locator("[data-part=fewer]").click()
    assert page.locator("[data-part=lid]").bounding_box()["y"] > height


def find_point(page, x, y):
    """Return where a place of the drawing of heads is in the window."""
    page.locator("svg.heads").scroll_into_view_if_needed()
    box = page.locator("svg.heads").bounding_box()
    unit = box["width"] / 360
    return box["x"] + unit * x, box["y"] + unit * y


def find_square(head):
    """Return the middle of the square of a head, such as "17.1", in the drawing."""
    layer, number = map(int, head.split("."))
    return 24 + 13 * (number - 0.55), 30 + 12 * (30 - layer + 0.5)


def test_a_pressed_head_shows_its_ribbons(show_alone):
    page = show_alone(HEADS)
    ribbons = page.locator("[data-part=ribbons]").get_attribute("d")
    page.mouse.click(*find_point(page, *find_square("18.5")))
    assert page.locator(READOUT).inner_text().startswith("Head 18.5 at “Piano”: ")
    assert page.locator("[data-part=ribbons]").get_attribute("d") != ribbons
    frame = page.locator("[data-part=head]")
    assert frame.get_attribute("aria-valuetext") == "head 18.5"
    assert frame.get_attribute("aria-valuenow") == "158"


def test_a_touched_head_shows_its_words(show_alone):
    page = show_alone(HEADS, **PHONE)
    page.touchscreen.tap(*find_point(page, *find_square("12.2")))
    assert page.locator(READOUT).inner_text().startswith("Head 12.2 at “Piano”: ")
    assert page.complaints == []


def test_arrow_keys_walk_over_heads_and_stop_at_the_edge(show_alone):
    page = show_alone(HEADS)
    frame = page.locator("[data-part=head]")
    for key, head in (("ArrowUp", "18.1"), ("ArrowRight", "18.2"), ("End", "30.9")):
        frame.press(key)
        assert page.locator(READOUT).inner_text().startswith(f"Head {head} at ")
    frame.press("ArrowUp")
    assert page.locator(READOUT).inner_text().startswith("Head 30.9 at ")


def test_pointing_at_a_word_tells_what_it_looks_at_and_moves_the_slider(show_alone):
    page = show_alone(HEADS)
    page.mouse.move(*find_point(page, 220, 30 + 360 / 22 * 21.5))
    assert page.locator(READOUT).inner_text().startswith("Head 17.1 at “Happy”: ")
    assert page.locator("[name=row]").input_value() == "21"
    assert page.locator(".heads .chosen").all_text_contents() == ["Happy"]


def test_mouse_over_the_map_takes_no_head_unless_pressed(show_alone):
    page = show_alone(HEADS)
    page.mouse.move(*find_point(page, *find_square("3.2")))
    assert page.locator(READOUT).inner_text().startswith("Head 17.1 at “Piano”: ")


def test_a_head_dragged_beyond_the_map_chooses_no_word(show_alone):
    page = show_alone(HEADS)
    drag(page, "head", by=(240, -60))
    assert page.locator("[data-part=head]").get_attribute("aria-valuetext")[-2:] == ".9"
    assert page.locator("[name=row]").input_value() == "8"


def test_a_shorter_text_of_the_model_keeps_the_word_inside(show_alone):
    page = show_alone(HEADS)
    page.locator("[name=row]").press("End")
    page.locator("[name=text]").select_option("names")
    assert page.locator("[name=row]").input_value() == "8"
    words = page.locator(".heads .queries text").all_text_contents()
    assert [word for word in words if word] == inside.show().data["texts"]["names"][0]
    assert page.locator(READOUT).inner_text().startswith("Head 17.1 at “at”: ")


def test_shades_follow_what_the_reader_asks_for(show_alone):
    page = show_alone(HEADS)
    darkest = page.locator("[data-part=shade-9]")
    assert page.locator(READOUT).inner_text().endswith("77 % to the word before.")
    page.locator("[name=text]").select_option("twice")
    assert len(darkest.get_attribute("d").split("M")) - 2 == 3  # beside the scale
    page.locator("[name=kind]").select_option("first")
    assert len(darkest.get_attribute("d").split("M")) - 2 > 3
    assert page.locator(READOUT).inner_text().endswith(" to the first word.")


def test_frame_around_a_head_is_seen_when_it_has_the_focus(show_alone):
    page = show_alone(HEADS)
    page.locator("[data-part=head]").press("ArrowUp")
    width = "(e) => getComputedStyle(e).strokeWidth"
    assert page.locator(".heads .halo").evaluate(width) == "3px"


@facts(
    "html",
    [LAYERS, MAPS, BEAM, STACKS, HEADS, WORDS],
    ids=["layers", "maps", "beam", "stacks", "heads", "words"],
)
def test_nothing_is_wider_than_a_phone_in_any_state(show_alone, html):
    page = show_alone(html, **PHONE)
    for control in page.locator("select").all():
        for option in control.locator("option").all():
            control.select_option(option.get_attribute("value"))
            assert page_visit.measure_sideways(page) == 0
