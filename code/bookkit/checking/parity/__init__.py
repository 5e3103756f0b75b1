"""Comparisons with PyTorch and Hugging Face: asserted, recorded and kept fresh.

A test of parity asks for the fixture ``parity`` of `plugin`, which asserts a bound and
records what was measured. ``make parity`` keeps the records in one file, from which the
appendix makes its tables.
"""
