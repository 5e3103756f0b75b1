"""The author's tools: they write, check and publish the book."""
