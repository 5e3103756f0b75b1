"""What every check is made of: doors, and questions to any number, name or tensor.

A check stands at the bottom of the module that it guards. It returns nothing when all
is well, and raises a `TypeError` when a value is of the wrong kind and a `ValueError`
when it is of the right kind but does not fit.
"""
