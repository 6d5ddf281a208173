"""`python -m daemon.cli COMMAND`."""

from daemon.cli.main import run

run()
