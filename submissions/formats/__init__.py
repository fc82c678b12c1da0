"""What an upload may look like inside; today the native bundle."""
