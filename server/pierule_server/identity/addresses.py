"""Network addresses, in the form in which the server counts and bans them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

IPV6_PREFIX = 64
"""Whoever has an IPv6 address usually has all addresses with this prefix, so they count as one."""


def read_address(text: str) -> Address | None:
    """The address in a text, without its zone; None if the text is not an address. An IPv4 address
    mapped into IPv6 becomes IPv4."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def group(address: Address) -> str:
    """The name under which the server counts an address: in IPv6 that of its network."""
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)


def address_name(text: str) -> str:
    """The name under which the server bans an address: in IPv6 that of its network. Raises
    ValueError if the text is not an address."""
    network = ip_network(text, strict=False)
    if network.num_addresses > 1 and network.version == 4:
        raise ValueError(f"{text!r} is a network; only single addresses can be banned")
    return group(network.network_address)
