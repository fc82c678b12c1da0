"""Pages as data: everything a template prints, worked out before it is called."""
