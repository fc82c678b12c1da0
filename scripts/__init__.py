"""What ``make`` runs. The setup uses nothing but the standard library."""
