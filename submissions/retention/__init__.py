"""Freeing storage: what nobody needs any more, and what has been kept long enough."""
