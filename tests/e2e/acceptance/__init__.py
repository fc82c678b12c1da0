"""A site, a worker and a submitter in processes of their own, for known bundles."""
