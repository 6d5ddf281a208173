"""Generates a table's systemd unit, with this program's paths and with rights removed that the daemon does not need.

Two restrictions are left out: on memory that is written and then executed, which compiled searches need; and on the
network, which cameras may need.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from daemon.config.settings import Config

MARK = "# Written by `kibitzer service`; `kibitzer service uninstall` removes it."
"""First line of every unit that Kibitzer may replace or remove."""
WATCHDOG_S = 60
START_S = 180
"""Seconds until the first good frame, or until it is clear that none comes: the first start compiles searches."""
STOP_S = 20


@dataclasses.dataclass(frozen=True)
class Unit:
    checkout: Path
    config: Path
    user: str = ""
    """The user the daemon runs as; empty in a unit of the user's own systemd."""
    writable: tuple[Path, ...] = ()
    name: str = "kibitzer"
    """Name of the unit and of its folder under /run, which may hold `ipc://` sockets."""
    program: Path | None = None
    """The command of an installed Kibitzer, which keeps its state where systemd says; None in a checkout."""

    @property
    def text(self) -> str:
        own, program = not self.user, self.program or self.checkout / "kibitzer"
        service = {
            "Type": "notify",
            "NotifyAccess": "main",
            **({} if own else {"User": self.user, "SupplementaryGroups": "video audio"}),
            **(self._folders() if self.program else {"WorkingDirectory": str(self.checkout).replace("%", "%%")}),
            "ExecStart": f"{_word(program)} run --config {_word(self.config).replace('$', '$$')}",
            "ExecReload": "/bin/kill -HUP $MAINPID",
            "Environment": "PYTHONUNBUFFERED=1",
            "Restart": "always",
            "RestartSec": "5",
            # No restart fixes invalid settings. Retry everything else, such as a port in use.
            "RestartPreventExitStatus": "2",
            "TimeoutStartSec": str(START_S),
            "TimeoutStopSec": str(STOP_S),
            "WatchdogSec": str(WATCHDOG_S),
            "TimeoutAbortSec": "10",
            "KillMode": "mixed",
            "UMask": "0077",
            "RuntimeDirectory": self.name,
            "RuntimeDirectoryMode": "0700",
            "MemoryMax": "1G",
            "TasksMax": "256",
            "LimitNOFILE": "1024",
            "LimitCORE": "0",
        }
        hardening = OWN_HARDENING if own else self._hardening()
        install = {"WantedBy": "default.target" if own else "multi-user.target"}
        unit = {
            "Description": "Kibitzer beside the board",
            **({} if self.program else {"Documentation": self._page.as_uri().replace("%", "%%")}),
            **({} if own else {"After": "sound.target network.target"}),
            "StartLimitIntervalSec": "0",
        }
        sections = (("Unit", unit), ("Service", service | hardening), ("Install", install))
        return "\n\n".join([MARK, *(_section(name, keys) for name, keys in sections)]) + "\n"

    @property
    def _page(self) -> Path:
        return self.checkout / "docs" / "deployment.md"

    def _folders(self) -> dict[str, str]:
        """Folders that systemd creates below /var/lib and /var/cache for a system service; a user's unit needs none."""
        return {"StateDirectory": self.name, "CacheDirectory": self.name} if self.user else {}

    def _hardening(self) -> dict[str, str]:
        needed = self.program or self.checkout, self.config
        at_home = any(path.is_relative_to(home) for path in needed for home in ("/home", "/root"))
        return HARDENING | {
            "ProtectHome": "read-only" if at_home else "yes",
            "ReadWritePaths": " ".join(_word(f"-{path}") for path in self.writable),
        }


HARDENING = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "ProtectSystem": "strict",
    "PrivateTmp": "yes",
    "DevicePolicy": "closed",
    "DeviceAllow": "char-video4linux rw\nDeviceAllow=char-alsa rw",
    "ProtectKernelTunables": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectControlGroups": "yes",
    "ProtectClock": "yes",
    "ProtectHostname": "yes",
    "ProtectProc": "invisible",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "RestrictNamespaces": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "RemoveIPC": "yes",
    "LockPersonality": "yes",
    "SystemCallArchitectures": "native",
    "SystemCallFilter": "@system-service\nSystemCallErrorNumber=EPERM",
}
OWN_HARDENING = {
    "NoNewPrivileges": "yes",
    "LockPersonality": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallArchitectures": "native",
}
"""Restrictions that a user's own systemd can apply without help from the system's."""


def unit_of(
    checkout: Path, config: Path, settings: Config, user: str, name: str = "kibitzer", program: Path | None = None
) -> Unit:
    """The unit for these settings; the folders of record, log and learned data stay writable.

    `program` is the command of an installed Kibitzer: systemd creates its state folder.
    """
    files = [settings.journal.path, settings.log.path, settings.board.profile]
    given = [Path(one).expanduser().parent for one in files if one]
    given += [Path(one).expanduser() for one in (settings.bundles.folder, settings.bus.keys) if one]
    folders = [path for path in given if path.is_absolute()]
    if program is None:
        folders = [checkout / "var", checkout / ".numba_cache", *(checkout / path for path in given)]
    outer = [one for one in folders if not any(one != other and one.is_relative_to(other) for other in folders)]
    return Unit(checkout, config, user, tuple(dict.fromkeys(outer)), name, program)


def _section(name: str, keys: dict[str, str]) -> str:
    return "\n".join([f"[{name}]", *(f"{key}={value}" for key, value in keys.items())])


def _word(text: Path | str) -> str:
    """One word of a list or command line, escaped: no specifiers or variables, and spaces do not split it."""
    word = str(text).replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{word}"' if any(letter in word for letter in " ;'") else word
