"""Mistakes planted on purpose in a copy of the package: who notices?"""
