"""Ground floor: what the public reads."""

__version__ = "0.1.0"
