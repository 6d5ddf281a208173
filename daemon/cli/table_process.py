"""The process of one table when one daemon runs several: `kibitzer run`, ended when its parent ends.

python -m daemon.cli.table_process PARENT_PID run --config FILE
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tie_to(parent: int) -> None:
    """Asks the kernel for SIGTERM when the parent is gone, however it ended; exits if it is gone already."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(0)


def main() -> None:
    """Runs the command line that follows the parent's process id."""
    tie_to(int(sys.argv.pop(1)))
    from daemon.cli.main import run

    run()


if __name__ == "__main__":
    main()
