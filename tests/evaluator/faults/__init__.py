"""Workers killed in the middle, for real: own process, own database, own broker."""
