"""What readers get: the site, generated pages, drawings, editions."""
