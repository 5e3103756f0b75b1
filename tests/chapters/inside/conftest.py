"""Where the weights are that the explorer of heads adds up."""

import pytest


@pytest.fixture(scope="session")
def find_places(ask):
    """Return from which words to which a kind of weight goes, by the script."""

    def call(kind, words):
        [places] = ask("inside", ["math.places", kind, words])
        return [tuple(place) for place in places]

    return call


@pytest.fixture(scope="session")
def add_up():
    """Add up the weights of a head at some places, in parts."""
    return lambda head, places: sum(head[i][j] for i, j in places)
