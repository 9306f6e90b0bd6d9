"""Which addresses are of the public internet."""

import pytest

from services.webhooks.addresses import NotPublic, check_public, is_public, parse_url

PUBLIC = """
    8.8.8.8 93.184.215.14 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1
    2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
"""

PRIVATE = """
    127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255
    192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1
    198.18.0.1 198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1 239.255.255.250
    240.0.0.1 255.255.255.255
    :: ::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 ff0e::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::10.0.0.1
    2002:7f00:1::1 2002:a00:1:: 2002:c0a8:101::1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
    64:ff9b:1::1 64:ff9b:1::8.8.8.8 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
    2001:db8::1 3fff::1 100::1 5f00::1 2001:10::1 ::ffff:0:127.0.0.1
    localhost 127.1 2130706433 0x7f.1
"""


@pytest.mark.parametrize("address", PUBLIC.split())
def test_it_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_it_is_not_public(address: str) -> None:
    assert not is_public(address)


def test_one_private_address_among_others_is_enough() -> None:
    with pytest.raises(NotPublic, match=r"10\.0\.0\.1"):
        check_public(["8.8.8.8", "10.0.0.1"])


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://hooks.example", "hooks.example", "/"),
        ("https://HOOKS.example:443/a?b=c&d", "hooks.example", "/a?b=c&d"),
        ("https://hooks.example:8443/%41", "hooks.example:8443", "/%41"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443", "/"),
    ],
)
def test_a_url_is_taken_apart(url: str, authority: str, path: str) -> None:
    target = parse_url(url)

    assert (target.authority, target.path) == (authority, path)
