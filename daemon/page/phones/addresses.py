"""This computer's addresses in its own networks; nothing is sent to find them."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import struct
import sys

ANYWHERE = ("192.0.2.1", "10.255.255.255", "192.168.255.255", "172.31.255.255")
"""Addresses that nobody asks here: by the route to them the system names the own address on it."""
MOST = 8
_SIOCGIFADDR = 0x8915
_NAME_BYTES, _ADDRESS_AT = 256, 20


def own_addresses() -> list[str]:
    """IPv4 addresses at which other devices may reach this computer, the one of the default route first."""
    found = [address for there in ANYWHERE if (address := _towards(there))]
    if sys.platform == "linux":
        found += [address for _, name in socket.if_nameindex() if (address := _of_interface(name))]
    return [one for one in dict.fromkeys(found) if _is_usable(one)][:MOST]


def _towards(there: str) -> str:
    """The own address on the route to another; empty if there is no route. Connecting UDP sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((there, 9))
        return str(probe.getsockname()[0])
    return ""


def _of_interface(name: str) -> str:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack(f"{_NAME_BYTES}s", name.encode()))
        return socket.inet_ntoa(answer[_ADDRESS_AT : _ADDRESS_AT + 4])
    return ""


def _is_usable(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return not (address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast)
