"""The chapter on images: patches as words, numbers that are read, a model that sees."""
