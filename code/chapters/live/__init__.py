"""The translator that runs in a page, in plain JavaScript."""
