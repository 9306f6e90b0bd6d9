"""The example's own tests run where it is installed: `test_plugins.py` sees to it."""

collect_ignore = ["ayoayo"]
