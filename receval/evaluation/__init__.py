"""Tables in, tables out: evaluating systems on one's own data."""
