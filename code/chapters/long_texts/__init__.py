"""The chapter on long texts: its figures, measurements and answers."""
