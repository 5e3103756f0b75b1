"""No test can hang."""

import pytest


def test_a_test_may_take_two_minutes(request):
    assert request.node.get_closest_marker("timeout").args == (120,)


@pytest.mark.timeout(7)
def test_a_test_may_say_otherwise(request):
    limits = [marker.args for marker in request.node.iter_markers("timeout")]
    assert limits == [(7,)]
