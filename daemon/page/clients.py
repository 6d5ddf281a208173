"""Who sends a request: its peer, or the client that a trusted proxy names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from aiohttp import web

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))
IPV6_BITS = 64
"""Bits of an IPv6 address that name a network: its holder may choose the others, so all of them are one client."""
FORWARDED_FOR = "X-Forwarded-For"
_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([^:]*):\d+")


def client_of(request: web.Request, proxies: Sequence[Network]) -> str:
    """The client by its address, or by its network's with IPv6.

    Each trusted proxy appends the address it was asked from. What stands before the last address that is not a trusted
    proxy's may be invented; so may all of it if the peer is none.
    """
    client = parsed(request.remote or "")
    hops = [one for line in request.headers.getall(FORWARDED_FOR, ()) for one in line.split(",")]
    while hops and client is not None and any(client in one for one in proxies):
        before = parsed(hops.pop().strip())
        if before is None:
            break
        client = before
    return "" if client is None else name_of(client)


def parsed(text: str) -> Address | None:
    """Parses an address, with or without a port; None if it is invalid. An IPv4-mapped IPv6 address becomes IPv4."""
    port = _PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((port[1] or port[2]) if port else text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, ipaddress.IPv6Address) else address


def name_of(address: Address) -> str:
    """What counts as one client: an address, or an IPv6 network."""
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return str(address)
    free = 128 - IPV6_BITS
    return str(ipaddress.IPv6Network((int(address) >> free << free, IPV6_BITS)))
