"""Explorer: one vector that two heads read along lines of their own."""

from math import cos, radians, sin

from chapters.shared.explorer.frame import Explorer, choice, switch

ROLES = ("query", "key", "value")
# Where the lines of head 1 and head 2 point, in degrees: the columns of each matrix.
ANGLES = {"query": (105, 75), "key": (-30, 210), "value": (60, 120)}
# Without matrices each head is handed one feature for everything.
CUT_ANGLES = dict.fromkeys(ROLES, (0, 90))
THINGS, PERSONS = ("pens", "pen"), ("she", "they")
NUMBERS = {"pens": "many", "pen": "one", "she": "one", "they": "many"}
KEY = 1.6  # of a thing in head 1, and of a person in head 2


def show() -> Explorer:
    """Show a vector, how two heads read it, and what they bring back."""
    phrases = {
        f"{thing} {person}": f"the {thing} that {person} lost"
        for thing in THINGS
        for person in PERSONS
    }
    return Explorer(
        chapter="multi_head_attention",
        name="multi_head_attention",
        title="one vector that two heads read along lines of their own",
        instruction="Drag <em>lost</em>, in either head: both read the whole vector, "
        "each along lines of its own. Then cut the vector itself, a feature for each "
        "head: at most four of the eight answers are right.",
        controls=[
            choice("phrase", "phrase", phrases, value=f"{THINGS[0]} {PERSONS[0]}"),
            switch("cut", "cut the vector, not its projections"),
        ],
        data={
            "places": {word: place_word(word) for word in (*THINGS, *PERSONS)},
            "numbers": NUMBERS,
            "phrases": [phrase.split() for phrase in phrases],
            "lines": [find_lines(cut=cut) for cut in (False, True)],
        },
        uses=("drag", "steps"),
        controls_first=True,
    )


def place_word(word: str) -> list[float]:
    """Return the vector of a word: its key, and across it +1 for many, -1 for one."""
    head = int(word in PERSONS)
    number = 1 if NUMBERS[word] == "many" else -1
    key, value = (point(ANGLES[role][head]) for role in ("key", "value"))
    return [round(KEY * k + number * v, 3) for k, v in zip(key, value, strict=True)]


def point(degrees: float) -> list[float]:
    """Return the vector of length one that points somewhere."""
    return [round(side(radians(degrees)), 4) + 0.0 for side in (cos, sin)]


def find_lines(*, cut: bool) -> list[list[list[float]]]:
    """Return the lines of each head: (head, role, feature)."""
    angles = CUT_ANGLES if cut else ANGLES
    return [[point(angles[role][head]) for role in ROLES] for head in (0, 1)]
