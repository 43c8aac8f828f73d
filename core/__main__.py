"""`python -m designgym` is the command line, as launchers of several processes start it."""

from designgym.cli.main import main

if __name__ == "__main__":
    main()
