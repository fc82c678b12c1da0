"""The gate for patches, which judges the tree that results and not the patch's text.

Knows nothing of Django.
"""

from __future__ import annotations

from evaluator.patches.diffs import diff
from evaluator.patches.gate import apply_patch
from evaluator.patches.results import (
    GateError,
    GateResult,
    PatchLimits,
    PatchProblem,
    ProblemCode,
)

__all__ = [
    "GateError",
    "GateResult",
    "PatchLimits",
    "PatchProblem",
    "ProblemCode",
    "apply_patch",
    "diff",
]
