"""Answers to the exercises on one sentence in a Transformer, right and wrong ones."""

import numpy as np
import torch

from chapters.one_sentence.toy import french_order, rows, send

RED, HOUSE, START = rows()
IN_ORDER = send((START, RED), (-RED, HOUSE), (-HOUSE, -START))
FRENCH = french_order()
ROW = [3.87, 1.76, -0.72]
SAID = (["rouge", "<end>"], ["maison"] * 3, ["<end>"])
# The matrices with which a row asks, finds and answers, as a wrong query would.
UNSCALED = [score / 2 for score in ROW]
TWICE = [2 * score for score in ROW]

RIGHT = [
    ("ex-sentence-row", (ROW, "red")),
    ("ex-sentence-row", ([3.885, 1.757, -0.731], "Red")),
    ("ex-sentence-row", (torch.tensor(ROW), "red")),
    ("ex-sentence-row", (np.array(ROW), "red")),
    ("ex-sentence-order", (IN_ORDER,)),
    ("ex-sentence-order", (IN_ORDER - 1 / 4,)),
    ("ex-sentence-order", (IN_ORDER.tolist(),)),
    ("ex-sentence-order", (IN_ORDER.numpy(),)),
    ("ex-sentence-order", (IN_ORDER.float(),)),
    ("ex-sentence-order", (FRENCH.T,)),
    ("ex-sentence-order", (2 * IN_ORDER,)),
    ("ex-sentence-predict", SAID),
    ("ex-sentence-predict", tuple(tuple(said) for said in SAID)),
]

WRONG = [
    ("ex-sentence-row", ([0.28, 3.9, -0.22], "house"), "the root of 4"),
    ("ex-sentence-row", (UNSCALED, "red"), "the root of 4"),
    ("ex-sentence-row", (TWICE, "red"), "the root of 4"),
    ("ex-sentence-row", ([0.88, 0.11, 0.01], "red"), "the root of 4"),
    ("ex-sentence-row", ([1.76, 3.87, -0.72], "house"), "the root of 4"),
    ("ex-sentence-row", (ROW[:2], "red"), "the root of 4"),
    ("ex-sentence-row", (ROW, "house"), "largest weight"),
    ("ex-sentence-row", (ROW, "rouge"), "largest weight"),
    ("ex-sentence-order", (FRENCH,), "look for red"),
    ("ex-sentence-order", (IN_ORDER.T,), "look for red"),
    ("ex-sentence-order", (-IN_ORDER,), "look for red"),
    ("ex-sentence-order", (torch.eye(4),), "look for red"),
    ("ex-sentence-order", (send((START, RED)),), "look for house"),
    ("ex-sentence-order", (send((START, RED), (RED, HOUSE)),), "look for house"),
    ("ex-sentence-order", (send((START, RED), (-RED, HOUSE)),), "look for the end"),
    (
        "ex-sentence-order",
        (send((START, RED), (-RED, HOUSE), (-HOUSE, START)),),
        "look for the end",
    ),
    ("ex-sentence-order", (IN_ORDER / 4,), "must write"),
    ("ex-sentence-order", (IN_ORDER[:3],), "four rows"),
    ("ex-sentence-predict", (["maison"], *SAID[1:]), "looks for a house"),
    ("ex-sentence-predict", (["rouge"], *SAID[1:]), "looks for a house"),
    ("ex-sentence-predict", (["<end>"], *SAID[1:]), "looks for a house"),
    ("ex-sentence-predict", (SAID[0], ["maison", "<end>"], SAID[2]), "always gets"),
    ("ex-sentence-predict", (SAID[0], ["maison"], SAID[2]), "always gets"),
    ("ex-sentence-predict", (SAID[0], SAID[1], ["maison"] * 3), "else"),
    ("ex-sentence-predict", (SAID[0], SAID[1], []), "else"),
]
