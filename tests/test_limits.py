"""No test can hang, and none is ended because the machine is busy."""


def test_a_test_may_take_half_an_hour(pytestconfig, request):
    assert float(pytestconfig.getini("timeout")) == 1800
    assert not request.node.get_closest_marker("timeout")
