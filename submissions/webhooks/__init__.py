"""Signed webhooks: who has one, what it is sent, and how it is fenced in."""
