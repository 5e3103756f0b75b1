"""The chapter on a language model of your own: its figures, measurements and answers."""
