"""Metrics: what a process counts and measures, told to Prometheus where it is asked."""
