"""The whole book in one file: as PDF for paper, as EPUB for reading devices.

Both are made from the built site, so that they show what was checked, and nothing is
rendered twice. Sphinx's own builders for these forms are not used: several extensions
of the book know the pages of a site only, and on one long page the sections that each
chapter has, such as its summary, would share their ids.
"""
