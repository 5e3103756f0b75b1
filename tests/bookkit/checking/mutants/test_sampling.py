"""A sample is drawn in proportion, and no mutant asks for all tests."""

import json
from collections import Counter

from bookkit.checking.mutants.sampling import draw_sample, module_of, trim_tests

NAMES = [
    *(f"transformer.large.x_f__mutmut_{number}" for number in range(300)),
    *(f"transformer.small.x_f__mutmut_{number}" for number in range(100)),
]


def test_each_module_has_its_share():
    for seed in range(5):
        sample = draw_sample(NAMES, 40, seed)
        assert len(set(sample)) == 40
        assert Counter(map(module_of, sample)) == {
            "transformer.large": 30,
            "transformer.small": 10,
        }


def test_a_seed_draws_the_same_and_another_one_others():
    assert draw_sample(NAMES, 40, 0) == draw_sample(NAMES[::-1], 40, 0)
    assert draw_sample(NAMES, 40, 0) != draw_sample(NAMES, 40, 1)


def test_the_nearest_and_fastest_tests_are_kept(tmp_path):
    own = "tests/layers/test_masks.py::test_a"
    quick, slow = "tests/test_b.py::test_quick", "tests/test_b.py::test_slow"
    path = tmp_path / "statistics.json"
    found = {
        "tests_by_mangled_function_name": {
            "transformer.layers.masks.x_f": [slow, quick, own],
            "transformer.layers.masks.x_slow": [slow],
            "transformer.layers.masks.x_none": [],
        },
        "duration_by_test": {own: 2.0, quick: 0.5, slow: 9.0},
        "other": 1,
    }
    path.write_text(json.dumps(found))
    trim_tests(path, seconds=3.0)
    trimmed = json.loads(path.read_text())
    assert trimmed["other"] == 1
    assert trimmed["tests_by_mangled_function_name"] == {
        "transformer.layers.masks.x_f": [own, quick],
        "transformer.layers.masks.x_slow": [slow],
        "transformer.layers.masks.x_none": [],
    }
