"""A webhook goes to the public internet, whatever its URL and its name server say."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from submissions.webhooks.addresses import (
    TargetError,
    addresses_of,
    is_public,
    target_of,
)

PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450::1"]
INSIDE = [
    # this host and this network
    *("127.0.0.1", "127.1.2.3", "0.1.2.3", "::1", "::"),
    "0.0.0.0",  # noqa: S104 - nothing is bound to it
    # private, shared and link-local
    *("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"),
    *("169.254.1.1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1"),
    # metadata of clouds
    *("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
    *("192.0.0.192",),
    # multicast, broadcast, reserved, documentation, benchmarks
    *("224.0.0.1", "239.1.1.1", "ff02::1", "255.255.255.255", "240.0.0.1"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1"),
    *("3fff::1", "100::1"),
    # other addresses inside: mapped, compatible, 6to4, Teredo, NAT64
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2002:7f00:1::"),
    *("2001:0:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::1", "192.88.99.1"),
]


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_known(text):
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", INSIDE)
def test_what_is_not_surely_public_is_refused(text):
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://ci.example.org/hook?a=1", (True, "ci.example.org", 443, "/hook?a=1")),
        ("https://ci.example.org", (True, "ci.example.org", 443, "/")),
        ("https://CI.example.org:8443/x", (True, "ci.example.org", 8443, "/x")),
        ("https://8.8.8.8/", (True, "8.8.8.8", 443, "/")),
    ],
)
def test_a_sound_url_is_taken_apart(url, target):
    assert target_of(url) == target


@pytest.mark.parametrize(
    "url",
    [
        *("", "ci.example.org", "//ci.example.org/", "https://", "https:///x"),
        *("http://ci.example.org/", "ftp://ci.example.org/", "file:///etc/passwd"),
        *("gopher://ci.example.org/", "javascript:alert(1)", "data:text/plain,x"),
        *("https://user@ci.example.org/", "https://u:p@ci.example.org/"),
        *("https://ci.example.org/#x", "https://ci.example.org:99999/"),
        *("https://ci.example.org:x/", "https://[::1/", "https://ci.example.org/ x"),
        *("https://ci.example.org/\r\nHost: x", "https://ci.example.org/\x00"),
        *("https://例子.org/", "https://ci.example.org/" + "x" * 500),
        *("https://localhost/", "http://localhost/", "https://localhost./"),
        *("https://x.localhost/", "https://printer.local/", "https://db/"),
        *("https://metadata.google.internal/", "https://127.0.0.1/"),
        *("https://10.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/"),
        *("https://169.254.169.254/latest/meta-data/", "https://[fe80::1%25eth0]/"),
        # Spellings of 127.0.0.1 that only the resolver understands.
        *("https://2130706433/", "https://0x7f000001/"),
    ],
)
def test_a_url_that_leads_elsewhere_is_refused_at_once(url):
    with pytest.raises(TargetError):
        target_of(url)


def resolver(monkeypatch, *answers: str) -> None:
    def answer(host, port, *args, **kwargs):
        return [
            (
                socket.AF_INET6 if ":" in each else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (each, port),
            )
            for each in answers
        ]

    monkeypatch.setattr(socket, "getaddrinfo", answer)


@pytest.mark.parametrize("text", [*INSIDE, "fe80::1%eth0"])
def test_a_name_that_resolves_to_the_inside_is_refused(text, monkeypatch):
    resolver(monkeypatch, text)

    with pytest.raises(TargetError):
        addresses_of(target_of("https://ci.example.org/"))


@pytest.mark.parametrize("host", ["127.1", "0x7f.0.0.1", "0177.0.0.1", "127.0.1"])
def test_other_spellings_of_an_address_are_refused_when_they_are_resolved(host):
    with pytest.raises((TargetError, OSError)):
        addresses_of(target_of(f"https://{host}/"))


def test_only_the_public_ones_of_several_addresses_are_used(monkeypatch):
    resolver(monkeypatch, "10.0.0.1", "8.8.8.8", "::1", "8.8.8.8", "2606:4700::1111")

    found = addresses_of(target_of("https://ci.example.org/"))

    assert found == ["8.8.8.8", "2606:4700::1111"]


def test_this_very_machine_is_open_to_trials_under_debug_alone(settings, monkeypatch):
    settings.DEBUG = True
    assert target_of("http://localhost:9000/x") == (False, "localhost", 9000, "/x")
    assert addresses_of(target_of("http://127.0.0.1:9000/")) == ["127.0.0.1"]
    with pytest.raises(TargetError):
        target_of("http://ci.example.org/")
    with pytest.raises(TargetError):
        target_of("https://10.0.0.1/")

    resolver(monkeypatch, "10.0.0.1")
    with pytest.raises(TargetError):
        addresses_of(target_of("http://localhost/"))
