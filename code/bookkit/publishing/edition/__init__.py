"""The whole book in one file: as PDF for paper, as EPUB for reading devices.

The PDF is printed from the built site, so that nothing is rendered twice. The EPUB is
bound by Sphinx's own builder (`site.epub`), with the pages that these modules prepare.
"""
