"""Generates a table's systemd unit, with this program's paths and with rights removed that the daemon does not need.

Two restrictions are left out: on memory that is written and then executed, which compiled searches need; and on the
network, which cameras may need.
"""

from __future__ import annotations

from pathlib import Path

from daemon.config.settings import Config

MARK = "# Written by `kibitzer service`; `kibitzer service uninstall` removes it."
"""First line of every unit that Kibitzer may replace or remove."""
WATCHDOG_S = 60
START_S = 180
"""Seconds until the first good frame, or until it is clear that none comes: the first start compiles searches."""
STOP_S = 20
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
) -> str:
    """The unit file for these settings; the folders of record, log and learned data stay writable.

    `user` is empty in a unit of the user's own systemd. `name` is also that of its folder under /run, which may hold
    `ipc://` sockets. `program` is the command of an installed Kibitzer: systemd creates its state folder.
    """
    files = [settings.journal.path, settings.log.path, settings.board.profile]
    given = [Path(one).expanduser().parent for one in files if one]
    given += [Path(one).expanduser() for one in (settings.bundles.folder, settings.bus.keys) if one]
    folders = [path for path in given if path.is_absolute()]
    if program is None:
        folders = [checkout / "var", checkout / ".numba_cache", *(checkout / path for path in given)]
    outer = [one for one in folders if not any(one != other and one.is_relative_to(other) for other in folders)]
    if program is None:
        place = {"WorkingDirectory": str(checkout).replace("%", "%%")}
    else:  # systemd creates these below /var/lib and /var/cache for a system service; a user's unit needs none
        place = {"StateDirectory": name, "CacheDirectory": name} if user else {}
    service = {
        "Type": "notify",
        "NotifyAccess": "main",
        **({"User": user, "SupplementaryGroups": "video audio"} if user else {}),
        **place,
        "ExecStart": f"{_word(program or checkout / 'kibitzer')} run --config {_word(config).replace('$', '$$')}",
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
        "RuntimeDirectory": name,
        "RuntimeDirectoryMode": "0700",
        "MemoryMax": "1G",
        "TasksMax": "256",
        "LimitNOFILE": "1024",
        "LimitCORE": "0",
    }
    at_home = any(path.is_relative_to(home) for path in (program or checkout, config) for home in ("/home", "/root"))
    page = (checkout / "docs" / "deployment.md").as_uri().replace("%", "%%")
    unit = {
        "Description": "Kibitzer beside the board",
        **({} if program else {"Documentation": page}),
        **({"After": "sound.target network.target"} if user else {}),
        "StartLimitIntervalSec": "0",
    }
    hardening = OWN_HARDENING
    if user:
        hardening = HARDENING | {
            "ProtectHome": "read-only" if at_home else "yes",
            "ReadWritePaths": " ".join(_word(f"-{path}") for path in dict.fromkeys(outer)),
        }
    install = {"WantedBy": "multi-user.target" if user else "default.target"}
    sections = {"Unit": unit, "Service": service | hardening, "Install": install}
    texts = [
        f"[{title}]" + "".join(f"\n{key}={value}" for key, value in keys.items()) for title, keys in sections.items()
    ]
    return "\n\n".join([MARK, *texts]) + "\n"


def _word(text: Path | str) -> str:
    """One word of a list or command line, escaped: no specifiers or variables, and spaces do not split it."""
    word = str(text).replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{word}"' if any(letter in word for letter in " ;'") else word
