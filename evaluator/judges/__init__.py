"""How alike a screen of an app and a picture of what it should be are: a diagnostic.

A judge says a score from 0 to 1 and why. What it says is the dimension "visual" of the
completion rate and never decides Task Completion. Knows nothing of Django.
"""
