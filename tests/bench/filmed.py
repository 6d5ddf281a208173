"""The earlier name of `kibitzer bench filmed`."""

from lab.bench.cli import command_of
from lab.films import filmed

if __name__ == "__main__":
    command_of(filmed, "filmed")()
