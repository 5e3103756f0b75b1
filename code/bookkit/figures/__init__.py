"""The figures of the book, a module a chapter, each figure one call."""
