"""Running a coding agent here: its model's endpoint, its session, what it is told.

Knows nothing of Django. The adapter itself is ``evaluator/toolchains/deveco.py``.
"""
