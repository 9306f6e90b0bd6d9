"""One game, one file: each reads like its rule sheet."""
