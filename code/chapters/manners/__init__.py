"""The chapter on teaching a model manners: its figures, measurements and answers."""
