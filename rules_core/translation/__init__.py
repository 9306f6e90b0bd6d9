"""The rules of a game file, translated: to C for speed, to JavaScript for a page."""
