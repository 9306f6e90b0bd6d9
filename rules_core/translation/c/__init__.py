"""Compiled games: rules as C, by way of Cython, and what stands around them."""
