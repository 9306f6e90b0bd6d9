"""Small complete apps, and the tests that run them."""
