"""`python -m skillproto` is the command line."""

from skillproto.cli import main

if __name__ == "__main__":
    main()
