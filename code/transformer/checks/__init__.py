"""Checks at the doors: what must hold, what came, what to do.

Each function returns nothing when all is well. It raises a `TypeError` when a value is
of the wrong kind and a `ValueError` when it is of the right kind but does not fit.
"""
