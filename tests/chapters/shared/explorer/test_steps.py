"""Steps say in few words what happens at a stage, and arrows lead to the next one."""

import re
from importlib import import_module
from xml.etree import ElementTree

from bookkit.checking.facts import facts

# The stages of each explorer that has some, in the order in which it computes.
STAGES = {
    "norm_placement": ["upward"],
    "rotary": ["turn", "multiply", "add"],
    "self_attention": ["scores", "softmax", "mean"],
    "sinusoidal": ["encode", "multiply and add", "turn"],
}
MOST = 14  # words


def test_a_step_is_its_name_and_its_words(ask):
    [written] = ask(None, ["step", "mean", "by weight"])
    step = ElementTree.fromstring(written)
    assert (step.tag, step.get("class")) == ("p", "step")
    assert step.find("b").text == "mean"
    assert "".join(step.itertext()) == "mean: by weight"


def test_an_arrow_is_not_read_aloud(ask):
    arrow = ElementTree.fromstring(*ask(None, ["() => ARROW"]))
    assert arrow.get("aria-hidden") == "true"
    assert arrow.find("path").get("d").startswith("M1 6H23")


@facts("name", sorted(STAGES))
def test_every_stage_of_an_explorer_has_about_ten_words(name):
    html = import_module(f"chapters.{name}.explorer").show()._repr_html_()
    steps = re.findall(r'<p class="step"><b>([^<]+)</b>: ([^<]+)</p>', html)
    assert [stage for stage, _ in steps] == STAGES[name]
    assert all(6 <= len(words.split()) <= MOST for _, words in steps)
