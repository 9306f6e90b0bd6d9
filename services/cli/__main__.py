"""`python -m services.cli` is `seedlog`."""

from services.cli import main

if __name__ == "__main__":
    main()
