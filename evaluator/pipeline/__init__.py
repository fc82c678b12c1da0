"""The stages of a job: one module a stage, each a function from work to a report."""
