"""Names of Kits: by module as the SDK has it, as printed, as a benchmark lists them.

Standard library only. ``facts/sdk.json`` holds the data and says where it is from.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

FACTS = Path(__file__).parent / "facts"
# As short as a row of the database can hold with a hyphen between its words.
_KIT_MODULE = re.compile(r"@kit\.([A-Za-z][A-Za-z0-9]{0,30})")


class KitListError(ValueError):
    """A list of Kits in the configuration cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class SdkFacts:
    """What the SDK says: Kits by module, printed names by Kit."""

    commit: str
    names: Mapping[str, str]
    specific_names: Mapping[str, str]
    modules: Mapping[str, str | None]


class KitList(NamedTuple):
    """The Kits that the coverage of a benchmark is counted against.

    ``wanted`` is the size of the list that the benchmark means; where fewer of its
    names are known, ``names`` are all Kits of the SDK and ``complete`` is False.
    """

    names: tuple[str, ...]
    wanted: int | None
    complete: bool
    source: str


@functools.cache
def sdk_facts() -> SdkFacts:
    found = json.loads((FACTS / "sdk.json").read_text("utf-8"))
    return SdkFacts(
        commit=found["commit"],
        names=found["names"],
        specific_names=found["specific_names"],
        modules=found["modules"],
    )


def kit_list(path: Path | None) -> KitList:
    """The list in the file ``path``, or all Kits of the SDK where it is not whole."""
    facts = sdk_facts()
    sdk = tuple(sorted(facts.names.values(), key=str.casefold))
    sdk_source = f"openharmony/interface_sdk-js at {facts.commit[:8]}"
    if path is None:
        return KitList(sdk, None, complete=False, source=sdk_source)
    try:
        found = json.loads(path.read_text("utf-8"))
        names, wanted = tuple(found["kits"]), int(found["size"])
        source = str(found["source"])
    except (ValueError, KeyError, TypeError) as error:
        raise KitListError(
            f"{path} is not a list of Kits ({error!r}). Write an object with a list "
            "'kits' of names, the number 'size' and the text 'source'."
        ) from None
    if len({kit_key(name) for name in names}) != len(names) or len(names) > wanted:
        raise KitListError(
            f"{path} names {len(names)} Kits of {wanted}, or one of them twice. "
            "Correct 'kits' or 'size'."
        )
    if len(names) < wanted:
        return KitList(sdk, wanted, complete=False, source=sdk_source)
    return KitList(names, wanted, complete=True, source=source)


def kit_name(kit: str) -> str:
    """The printed name of a Kit from that of its module.

    >>> kit_name("BasicServicesKit"), kit_name("ScanKit")
    ('Basic Services Kit', 'Scan Kit')
    """
    known = sdk_facts().names.get(kit)
    return known or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", kit)


def kit_key(name: str) -> str:
    """Equal for every spelling of one Kit.

    >>> kit_key("Basic Services Kit") == kit_key("BasicServicesKit")
    True
    """
    return re.sub(r"[^a-z0-9]", "", name.casefold()).removesuffix("kit")


def same_kits(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two lists name the same Kits, however they spell them."""
    return {kit_key(name) for name in some} == {kit_key(name) for name in others}


def kit_of_module(module: str) -> str | None:
    """The Kit that a module belongs to; None for modules of no Kit.

    >>> kit_of_module("@ohos.multimedia.image"), kit_of_module("@ohos/axios")
    ('ImageKit', None)
    """
    if kit := _KIT_MODULE.fullmatch(module):
        return kit[1]
    return sdk_facts().modules.get(module)
