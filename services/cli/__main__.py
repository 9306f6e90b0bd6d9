"""`python -m services.cli` is `seedlog`."""

from services.cli.main import main

main(prog_name="seedlog")
