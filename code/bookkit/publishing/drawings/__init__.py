"""The drawings that stand for the book: its architecture and the map of its chapters.

Each drawing is a list of shapes in reading order, written as SVG for the pages and
painted as PNG for where others show the book.
"""
