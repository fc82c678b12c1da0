"""What maintainers do with submissions, and how submitters answer."""
