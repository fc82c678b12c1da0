"""Looks for the reasons of failures in what is stored of closed runs."""
