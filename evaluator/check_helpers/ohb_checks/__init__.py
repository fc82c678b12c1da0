"""What check scripts may import beside Hypium; see docs/task-format.md.

A copy lies in the project of every run, so a script needs no path. Standard library
only: it runs in the environment of Hypium.
"""

VERSION = "1"
