"""`python -m services.cli` is `seedlog`."""

from services.cli.main import main

if __name__ == "__main__":
    main(prog_name="seedlog")
