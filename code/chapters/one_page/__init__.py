"""The chapter on the whole machine on one page, and the file that it shows."""
