"""Maps of the book: which paper, function, test and chapter belong together."""
