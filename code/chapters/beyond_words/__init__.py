"""The chapter on beyond words: its figures, measurements and answers."""
