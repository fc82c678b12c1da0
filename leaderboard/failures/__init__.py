"""Why task runs failed: labels beside the verdicts, which no figure is made of."""
