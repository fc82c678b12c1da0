"""Who submits: accounts, teams, API tokens, quotas."""
