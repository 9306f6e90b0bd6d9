"""Everything around the rules: event log, match, views, HTTP and the command line."""
