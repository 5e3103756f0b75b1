"""Ten texts of ten kinds, whose first sentences a language model goes on with.

The rule, written down before the model had read any of them: ten kinds of text, one
text of each, written for this purpose, so that no training has seen it. Its first
sentence, of code the first line, is the beginning that the model gets. What follows is
how the text goes on without the model, for 100 tokens at least. No text is exchanged
for what comes out.
"""

from typing import NamedTuple


class Text(NamedTuple):
    """A text in two parts.

    Args:
        beginning: What the model reads.
        rest: How the text itself goes on.
    """

    beginning: str
    rest: str


TEXTS = {
    "story": Text(
        "The lighthouse keeper had not spoken to anybody for eleven days.",
        " On the twelfth a boat came out of the fog, with two girls in it and a goat."
        " “We have come about the light,” said the older one, and she held up a letter"
        " that the rain had washed nearly white. He could read his own name on it, and"
        " below that a stamp with a crown. The goat had already found the stairs."
        " Nobody had ever climbed them except him, and the postman once, on a bet. He"
        " put the kettle on, because he could not think of anything else to do, and"
        " when the water boiled the lamp above them went out for the first time since"
        " his father had lit it.",
    ),
    "news": Text(
        "The city council voted on Tuesday to close the old bridge to cars.",
        " From next spring only buses, bicycles and people on foot will be allowed to"
        " cross the river at Mill Street. The decision passed by nine votes to six"
        " after a debate of four hours. Shop owners on the north bank said that they"
        " feared for their trade, while a group of parents welcomed the plan, since"
        " more than three hundred children walk to school that way. Engineers had"
        " found cracks in two of the stone arches last autumn. Repairs are expected to"
        " cost twelve million and to take until the end of the year. A petition"
        " against the closing has gathered some four thousand names.",
    ),
    "recipe": Text(
        "For this soup you need two leeks, three potatoes and a cup of cream.",
        " Wash the leeks well, because sand hides between the leaves, and cut them into"
        " thin rings. Melt a spoon of butter in a heavy pot and let the leeks soften in"
        " it for ten minutes without taking color. Meanwhile peel the potatoes and cut"
        " them into small cubes. Add them to the pot together with a liter of hot"
        " broth, a bay leaf and a little salt. Cover, and let everything simmer until"
        " the potatoes fall apart, which takes about twenty minutes. Take out the bay"
        " leaf, stir in the cream, and season with pepper and nutmeg. Serve with"
        " toasted bread and a few chopped chives.",
    ),
    "code": Text(
        "def count_words(lines):",
        '\n    """Return how often each word stands in the lines of a text."""\n'
        "    counts = {}\n"
        "    for line in lines:\n"
        "        for word in line.lower().split():\n"
        '            word = word.strip(".,!?")\n'
        "            if not word:\n"
        "                continue\n"
        "            counts[word] = counts.get(word, 0) + 1\n"
        "    return counts\n\n\n"
        "def most_common(counts, size):\n"
        '    """Return the words that come most often, the first one first."""\n'
        "    ranked = sorted(counts, key=counts.get, reverse=True)\n"
        "    return ranked[:size]\n\n\n"
        'if __name__ == "__main__":\n'
        '    with open("letters.txt") as file:\n'
        "        print(most_common(count_words(file), 10))\n",
    ),
    "dialogue": Text(
        "ANNA: Have you seen my keys anywhere?",
        "\nBEN: Which ones, the car or the house?\n"
        "ANNA: Both. They hang on the same ring.\n"
        "BEN: Then look in the fridge.\n"
        "ANNA: Why would they be in the fridge?\n"
        "BEN: Because last week they were next to the milk, and you said it had been"
        " a long day.\n"
        "ANNA: That was once.\n"
        "BEN: It was twice. The other time was the butter.\n"
        "ANNA: All right, I am looking. No keys. But here is your phone.\n"
        "BEN: My phone? I have been calling it since breakfast!\n"
        "ANNA: No wonder that nobody picked up. It is at four degrees.\n"
        "BEN: And your keys, then?\n"
        "ANNA: In the door, where I left them, so that I would not forget them.\n",
    ),
    "letter": Text(
        "Dear Aunt Margaret, thank you so much for the parcel, which came on Friday.",
        " The children fell upon the gingerbread before I had found a plate for it, and"
        " the scarf is just the blue that I had been looking for all winter. You ask"
        " how we are settling in. The house is drafty and the stairs complain, but"
        " from the kitchen one can see as far as the hills, and Peter has planted a"
        " pear tree by the gate. Clara starts at her new school in March. She worries"
        " about the arithmetic, I about the shoes. Do come and see us when the roads"
        " are better. There is a bed for you in the room above the porch, and nobody"
        " else here plays cards properly.",
    ),
    "encyclopedia": Text(
        "The common kestrel is a small falcon found in Europe, Asia and Africa.",
        " It is between 32 and 39 centimeters long, and its wings span about 75. The"
        " male has a gray head and a tail of the same color with a black band, while"
        " the female is brown with dark bars. Kestrels hunt over open country. They"
        " hover some fifteen meters above the ground with their heads held still, and"
        " drop on voles, mice, large insects and now and then a lizard. They build no"
        " nest of their own, but lay four to six eggs on ledges, in hollow trees or in"
        " what crows have left behind. Both parents feed the young, which fly after"
        " about a month. In towns many pairs breed on church towers.",
    ),
    "law": Text(
        "Every tenant shall have the right to inspect the records kept under this Act.",
        " (2) A request to inspect shall be made in writing and shall name the records"
        " that are sought. (3) The landlord shall answer such a request within fourteen"
        " days, and shall not charge a fee that exceeds the cost of copying. (4) Where"
        " a record contains personal data of another tenant, the landlord shall remove"
        " that data before the record is shown. (5) A landlord who fails to answer"
        " within the time set by subsection (3) is liable to a fine. (6) Nothing in"
        " this section requires a landlord to keep a record for longer than six years,"
        " unless a claim to which it relates has been brought before a court.",
    ),
    "poem": Text(
        "The rain came over the hill tonight,\nand it knocked at every door.",
        "\nIt asked for bread and it asked for light,\n"
        "and it asked for nothing more.\n\n"
        "We gave it the crust of a Sunday loaf,\n"
        "we gave it a candle end,\n"
        "and it sat by the fire and took off its coat\n"
        "and talked like an old lost friend.\n\n"
        "It told of the ships on a silver sea,\n"
        "of the towns where the rivers start,\n"
        "and it drew with a finger a map for me\n"
        "on the steam of the window's heart.\n\n"
        "The rain went over the hill by day,\n"
        "and it left us a puddle or two,\n"
        "and each of them held, as it slipped away,\n"
        "a piece of the morning's blue.\n",
    ),
    "instructions": Text(
        "Before you assemble the shelf, check that the box holds all of its parts.",
        " There should be four side panels, five boards, a back wall in two pieces and"
        " a bag with forty screws. Lay the panels on a carpet, so that they are not"
        " scratched. Push a wooden peg into each of the small holes, and turn it until"
        " it stands firm. Set the lowest board between two panels and fix it with a"
        " screw at every corner, but do not tighten the screws yet. Ask somebody to"
        " hold the frame while you slide in the back wall from above. Only when all"
        " corners are square should you tighten everything. Never stand the shelf up"
        " before it has been fastened to the wall with the angle in the bag.",
    ),
}
