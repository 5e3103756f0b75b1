"""Answers to the exercises on one sentence in a Transformer, right and wrong ones."""

import numpy as np
import torch

from chapters.one_sentence.machine import Machine, wishes

MACHINE = Machine()
FRENCH, OWN = MACHINE.ask, 9 * MACHINE.turn(0)
LIST = {
    ("start", "article"): 1,
    ("article", "red"): 1,
    ("article", "noun"): 1,
    ("red", "noun"): 1,
    ("noun", "article"): 1,
    ("noun", "end"): 0.5,
}
IN_ORDER = 9 * wishes(LIST) + OWN
ROW = [6.2, 9.3, 14.4, 0.0]
SAID = (["maison", "<end>"], ["rouge", "<end>"], ["maison", "rouge", "<end>"])


def changed(**sizes):
    """Return the list in order with other sizes, named as in start_article."""
    other = {tuple(name.split("_")): size for name, size in sizes.items()}
    return 9 * wishes(LIST | other) + OWN


RIGHT = [
    ("ex-sentence-row", (ROW, "house")),
    ("ex-sentence-row", ([6.16, 9.34, 14.38, 0.001], "House")),
    ("ex-sentence-row", (torch.tensor(ROW), "house")),
    ("ex-sentence-row", (np.array(ROW), "house")),
    ("ex-sentence-order", (IN_ORDER,)),
    ("ex-sentence-order", (OWN,)),
    ("ex-sentence-order", (IN_ORDER.tolist(),)),
    ("ex-sentence-order", (IN_ORDER.numpy(),)),
    ("ex-sentence-order", (IN_ORDER.float(),)),
    ("ex-sentence-predict", SAID),
    ("ex-sentence-predict", tuple(tuple(said) for said in SAID)),
    ("ex-sentence-predict", tuple(" ".join(said) for said in SAID)),
]

WRONG = [
    ("ex-sentence-row", ([22.96, 8.09, 0.0, -8.25], "the"), "divided by 3"),
    ("ex-sentence-row", ([3 * score for score in ROW], "house"), "divided by 3"),
    ("ex-sentence-row", ([score / 9 for score in ROW], "house"), "divided by 3"),
    ("ex-sentence-row", ([0.0, 0.01, 0.99, 0.0], "house"), "divided by 3"),
    ("ex-sentence-row", ([-6.2, -9.3, -14.4, 0.0], "house"), "divided by 3"),
    ("ex-sentence-row", (ROW[:3], "house"), "divided by 3"),
    ("ex-sentence-row", (ROW, "red"), "largest weight"),
    ("ex-sentence-row", (ROW, "maison"), "largest weight"),
    ("ex-sentence-order", (FRENCH,), "look for red"),
    ("ex-sentence-order", (torch.zeros(9, 9),), "look for the article"),
    ("ex-sentence-order", (-IN_ORDER,), "look for the article"),
    ("ex-sentence-order", (FRENCH.T,), "English order"),
    ("ex-sentence-order", (changed(article_red=0),), "look for red"),
    ("ex-sentence-order", (changed(article_red=-1),), "look for red"),
    ("ex-sentence-order", (changed(red_noun=-1),), "look for the noun"),
    ("ex-sentence-order", (changed(noun_red=1, noun_end=0),), "look for the end"),
    ("ex-sentence-order", (IN_ORDER - OWN,), "look for"),
    ("ex-sentence-order", (IN_ORDER / 9,), "English order"),
    ("ex-sentence-order", (IN_ORDER[:3],), "nine rows"),
    ("ex-sentence-predict", (["maison"], *SAID[1:]), "ends with"),
    ("ex-sentence-predict", ([], *SAID[1:]), "ends with"),
    ("ex-sentence-predict", (*SAID[:2], "maison rouge"), "ends with"),
    ("ex-sentence-predict", (["la", "maison", "<end>"], *SAID[1:]), "at the start"),
    ("ex-sentence-predict", (["<end>"], *SAID[1:]), "at the start"),
    ("ex-sentence-predict", (SAID[0], SAID[2], SAID[2]), "own place"),
    (
        "ex-sentence-predict",
        (SAID[0], ["rouge", "maison", "<end>"], SAID[2]),
        "own place",
    ),
    ("ex-sentence-predict", (SAID[0], SAID[1], SAID[0]), "looks for red"),
]
