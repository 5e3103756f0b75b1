"""The chapter on a language model of your own: figures, measurements, answers."""
