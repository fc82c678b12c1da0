"""What numbers in messages of bm and Hypium mean, and whose doing they are; pure.

Both tables come from the documentation of bm's error codes and from reports of Hypium
6.1. What is in neither is never guessed: a control run decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Blame(StrEnum):
    """Who may have brought a fault about."""

    MODEL = "model"
    OURS = "ours"
    UNCLEAR = "unclear"


class Meaning(NamedTuple):
    blame: Blame
    text: str


# --- bm: why a package is not installed ----------------------------------

_PROFILE = "module.json or app.json of the package: "
_SIGNATURE = "the signature: "
_LEFTOVER = "an earlier installation is in the way: "
_DEVICE = "the device: "

# MODEL is only what no device and no signature can bring about: the package's own
# profile, its modules, its native libraries, the permissions it asks for.
INSTALL_CODES: Mapping[int, Meaning] = {
    **{
        code: Meaning(Blame.MODEL, _PROFILE + text)
        for code, text in {
            9568259: "a required field is missing",
            9568315: "the URI of a data proxy is malformed",
            9568316: "a data proxy asks for too low a permission level",
            9568333: "a module has no name",
            9568334: "two modules have the same name",
            9568340: "the profile is missing",
            9568341: "the profile is malformed",
            9568342: "a field has the wrong type",
            9568345: "a text or a list is too long",
        }.items()
    },
    9568287: Meaning(Blame.MODEL, "the package has several entry modules"),
    9568289: Meaning(
        Blame.MODEL, "a permission is asked for that the signing profile does not grant"
    ),
    9568305: Meaning(Blame.MODEL, "a module that the package depends on is missing"),
    9568347: Meaning(Blame.MODEL, "a native library in the package is not readable"),
    **{
        code: Meaning(Blame.UNCLEAR, _SIGNATURE + text)
        for code, text in {
            9568257: "its PKCS #7 block does not verify",
            9568319: "it cannot be opened",
            9568320: "there is none",
            9568321: "it cannot be parsed",
            9568322: "not from a trusted source; its profile may not name this device",
            9568323: "its digest is wrong",
            9568324: "its integrity is broken",
            9568326: "its public key is wrong",
            9568327: "its block is broken",
            9568328: "it holds no profile",
            9568329: "its profile names another bundle",
            9568330: "its source cannot be read",
            9568331: "the packages are signed differently",
            9568359: "the privilege level in its profile is wrong",
            9568393: "the code signature does not verify",
            9568417: "a preinstalled bundle has the same name",
        }.items()
    },
    **{
        code: Meaning(Blame.UNCLEAR, _LEFTOVER + text)
        for code, text in {
            9568258: "of another release type",
            9568263: "of a newer version",
            9568267: "with another entry module",
            9568278: "of another version code",
            9568281: "of another vendor",
            9568286: "signed with another type of profile",
            9568296: "of another bundle type",
            9568301: "with the module as another type",
            9568310: "with another policy of compatibility",
            9568332: "signed differently",
            9568336: "of another debug type",
        }.items()
    },
    9568266: Meaning(Blame.UNCLEAR, "release packages of enterprises are not taken"),
    9568297: Meaning(
        Blame.UNCLEAR, "the package needs a newer SDK than the device has"
    ),
    9568304: Meaning(Blame.UNCLEAR, "the package is for another type of device"),
    9568317: Meaning(Blame.UNCLEAR, "the isolation mode is not the device's"),
    9568337: Meaning(Blame.UNCLEAR, "the package is damaged, or the device is full"),
    9568344: Meaning(Blame.UNCLEAR, _PROFILE + "a name breaks the rules"),
    9568403: Meaning(Blame.UNCLEAR, "lib/ holds what is no library, or an old image"),
    9568413: Meaning(
        Blame.UNCLEAR, "the device lacks a capability or type that the package needs"
    ),
    **{
        code: Meaning(Blame.OURS, _DEVICE + text)
        for code, text in {
            9568268: "it is busy with another installation",
            9568269: "the package did not arrive at its path",
            9568273: "it has no user id left",
            9568274: "its installer service is broken",
            9568275: "its bundle manager is broken",
            9568288: "its storage is full",
            9568303: "a policy of its owner forbids it",
            9568391: "its bundle manager died",
            9568399: "the package could not be copied",
            9568401: "developer mode is off",
        }.items()
    },
}


def install_meaning(code: int) -> Meaning:
    """What a code of bm means; an unknown one is unclear."""
    return INSTALL_CODES.get(code, Meaning(Blame.UNCLEAR, "an unknown code"))


# --- Hypium: why a method failed -----------------------------------------


class Cause(StrEnum):
    """What a message of Hypium speaks of."""

    ASSERTION = "assertion"
    INTERFACE = "interface"
    SCRIPT = "script"
    DEVICE = "device"
    RUNNER = "runner"
    UNKNOWN = "unknown"


BLAME: Mapping[Cause, Blame] = {
    Cause.ASSERTION: Blame.MODEL,
    Cause.INTERFACE: Blame.UNCLEAR,
    Cause.SCRIPT: Blame.OURS,
    Cause.DEVICE: Blame.OURS,
    Cause.RUNNER: Blame.OURS,
    Cause.UNKNOWN: Blame.UNCLEAR,
}

MESSAGE_CODES: Mapping[str, Cause] = {
    "0101014": Cause.SCRIPT,  # The case or its JSON is not there.
    "0101020": Cause.RUNNER,  # The report folder is not empty.
    "0101021": Cause.DEVICE,  # Fewer devices than the case needs.
    "0203001": Cause.SCRIPT,  # The script does not load.
    "0203002": Cause.INTERFACE,  # No component, no start of the app, or no device.
    "0203003": Cause.ASSERTION,  # A check was false.
    "0203016": Cause.SCRIPT,  # The class is not named after its file.
}
# By the first digits, where the code itself is not known: xdevice, reconnecting to the
# device, and everything that speaks with it.
_FAMILIES = (("01", Cause.RUNNER), ("0202", Cause.DEVICE), ("03", Cause.DEVICE))


def message_cause(category: str, code: str) -> Cause:
    """What ``[category-code]`` at the start of a message stands for."""
    if code in MESSAGE_CODES:
        return MESSAGE_CODES[code]
    for digits, cause in _FAMILIES:
        if code.startswith(digits):
            return cause
    return Cause.RUNNER if category == "Environment" else Cause.UNKNOWN
