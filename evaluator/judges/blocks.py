"""The judge that every evaluation has: block by block, the same for the same pictures.

The pictures come from a device that an app had in its hands, so they are decoded in the
sandbox, by the OpenCV that Hypium brings along.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluator.judges.base import MOST_PICTURE_BYTES, Judgement, Pair
from evaluator.processes import finish
from evaluator.sandbox import Limits, Sandbox, was_set_up
from evaluator.sandbox.base import MIB

_MEASURE = Path(__file__).with_name("measure.py")
_LIMITS = Limits(
    cpu_seconds=30, memory_bytes=1024 * MIB, processes=64, file_bytes=MIB, tmp_bytes=MIB
)
_OUTPUT_BYTES = 64 * 1024
_MOST_PIXELS = 16 * 1024 * 1024


@dataclass(frozen=True)
class BlockJudge:
    """Structural similarity and color of blocks, where there is something to see.

    ``python`` is an interpreter with OpenCV and NumPy. Small shifts of anti-aliasing
    hardly count, since both pictures are made small first.
    """

    python: Path
    sandbox: Sandbox
    name: str = "blocks"
    version: str = "1"

    def judge(self, pair: Pair, *, scratch: Path, deadline: float) -> Judgement:
        if max(len(pair.picture), len(pair.reference)) > MOST_PICTURE_BYTES:
            return Judgement(None, f"a picture of over {MOST_PICTURE_BYTES} bytes")
        if not self.python.is_file():
            return Judgement(None, f"{self.python} is missing; run `make setup`")
        reference, picture = scratch / "reference", scratch / "picture"
        reference.write_bytes(pair.reference)
        picture.write_bytes(pair.picture)
        program = Path(shutil.copy(_MEASURE, scratch))
        words = [str(self.python), "-I", str(program), str(reference), str(picture)]
        process = self.sandbox.popen(
            [*words, json.dumps([list(each) for each in pair.ignored])],
            cwd=scratch,
            # Threads of NumPy and OpenCV would only count against the limits.
            env={
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "OPENCV_IO_MAX_IMAGE_PIXELS": str(_MOST_PIXELS),
            },
            readable=self._interpreter,
            writable=[scratch],
            limits=_LIMITS,
        )
        ended = finish(process, deadline=deadline, output_limit=_OUTPUT_BYTES)
        said = ended.output.decode("utf-8", "replace").strip()
        if ended.exit_code is None:
            return Judgement(None, "the comparison did not end in time")
        if ended.exit_code != 0:
            where = "" if was_set_up(process) else "the sandbox was not set up: "
            return Judgement(None, f"{where}{said[-300:]}")
        # Libraries grumble about broken pictures on the lines before.
        return _read(said.rpartition("\n")[2])

    @cached_property
    def _interpreter(self) -> tuple[Path, ...]:
        """What the sandbox has to show for ``python`` to start, besides /usr."""
        own = self.python.absolute().parent.parent
        real = self.python.resolve().parent.parent
        found = (own, own.resolve(), real)
        return tuple(
            dict.fromkeys(path for path in found if not path.is_relative_to("/usr"))
        )


def _read(said: str) -> Judgement:
    try:
        found = json.loads(said)
        if refused := found.pop("refused", ""):
            return Judgement(0, str(refused), found)
        return Judgement(int(found.pop("millionths")), "", found)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Judgement(None, f"no answer: {said[-300:]}")
