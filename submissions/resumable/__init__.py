"""Uploads in parts that survive a broken connection (tus 1.0, https://tus.io).

``client`` is the other end; it runs without Django.
"""
