"""A table read in pages, from the places stored under the present data or made anew.

``rankings.py`` finds one for a reader; ``renewal.py`` stores them when data change.
"""
