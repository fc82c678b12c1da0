"""How far reviewers agree: simple percent agreement and Cohen's kappa, exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple


class Opinion(NamedTuple):
    """What one reviewer says of one item."""

    item: Hashable
    reviewer: Hashable
    reason: str


class PairAgreement(NamedTuple):
    """Two reviewers on the items that both have labelled.

    ``kappa`` is None where chance alone would always agree, so that it says nothing.
    """

    first: Hashable
    second: Hashable
    agreed: int
    items: int
    kappa: Fraction | None


class Agreement(NamedTuple):
    """``items`` have two labels or more; ``agreed`` of ``compared`` pairs are equal."""

    items: int
    agreed: int
    compared: int
    pairs: Sequence[PairAgreement]

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.agreed, self.compared) if self.compared else None


def cohens_kappa(labels: Sequence[tuple[str, str]]) -> Fraction | None:
    """Agreement of two raters beyond chance, from -1 to 1.

    >>> cohens_kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")])
    Fraction(1, 2)
    """
    if not labels:
        return None
    total = len(labels)
    first, second = (Counter(side) for side in zip(*labels, strict=True))
    observed = Fraction(sum(one == other for one, other in labels), total)
    by_chance = Fraction(sum(first[each] * second[each] for each in first), total**2)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def agreement(opinions: Iterable[Opinion]) -> Agreement:
    """Every pair of reviewers that has items in common, those with the most first."""
    by_item: dict[Hashable, dict[Hashable, str]] = {}
    for each in opinions:
        by_item.setdefault(each.item, {})[each.reviewer] = each.reason
    shared = [said for said in by_item.values() if len(said) > 1]
    labels: dict[tuple[Hashable, Hashable], list[tuple[str, str]]] = {}
    for said in shared:
        for one, other in combinations(sorted(said, key=repr), 2):
            labels.setdefault((one, other), []).append((said[one], said[other]))
    pairs = [
        PairAgreement(
            *pair,
            agreed=sum(one == other for one, other in both),
            items=len(both),
            kappa=cohens_kappa(both),
        )
        for pair, both in labels.items()
    ]
    return Agreement(
        items=len(shared),
        agreed=sum(pair.agreed for pair in pairs),
        compared=sum(pair.items for pair in pairs),
        pairs=sorted(pairs, key=lambda pair: (-pair.items, repr(pair))),
    )
