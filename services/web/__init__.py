"""The page: plain modules in the browser, and no rules there."""
