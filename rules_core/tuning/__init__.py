"""Learning what positions are worth, from games that the search plays with itself."""
