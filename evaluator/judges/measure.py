"""Compares two pictures block by block; runs inside the sandbox, with OpenCV there.

``measure.py REFERENCE PICTURE REGIONS`` prints one JSON object. It decodes what an app
drew and a device packed, which is why it is started apart and knows nothing else. How
many pixels OpenCV decodes is set where it is started.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np

Array: TypeAlias = Any  # NumPy is not where types are checked
Regions: TypeAlias = Sequence[Sequence[int]]

WIDTH = 320
BLOCK = 8
# Where neither picture shows anything, a block that is alike says little.
FLAT_WEIGHT = 0.02
FLAT_DEVIATION = 3.0
ALIKE = 0.95
# A difference of the mean from which on nothing is alike, of 255.
FAR = 48.0
# The usual constants of the structural similarity of 8-bit pictures.
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
MOST_DISTORTION = 0.02


class CannotCompareError(Exception):
    pass


def read(path: str) -> Array:
    data = np.frombuffer(Path(path).read_bytes(), dtype=np.uint8)
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:
        picture = None
    if picture is None:
        raise CannotCompareError(f"{Path(path).name} is no picture that can be read")
    return picture


def scaled(picture: Array, height: int) -> Array:
    small = cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb).astype(np.float64)


def blocks(channel: Array) -> Array:
    rows, columns = channel.shape[0] // BLOCK, channel.shape[1] // BLOCK
    cut = channel[: rows * BLOCK, : columns * BLOCK]
    cut = cut.reshape(rows, BLOCK, columns, BLOCK).swapaxes(1, 2)
    return cut.reshape(rows, columns, BLOCK * BLOCK)


def similarity(one: Array, other: Array) -> Array:
    """How alike the blocks of one channel are, from 0 to 1: in form and in mean.

    The structural similarity alone hardly sees that one plain color is another.
    """
    a, b = blocks(one), blocks(other)
    mean_a, mean_b = a.mean(-1), b.mean(-1)
    covariance = (a * b).mean(-1) - mean_a * mean_b
    variance = a.var(-1) + b.var(-1)
    light = (2 * mean_a * mean_b + C1) / (mean_a**2 + mean_b**2 + C1)
    form = (2 * covariance + C2) / (variance + C2)
    near = np.clip(1 - np.abs(mean_a - mean_b) / FAR, 0, 1)
    return np.minimum(np.clip(light * form, 0, 1), near)


def weights(one: Array, other: Array, alike: Array) -> Array:
    deviation = np.maximum(blocks(one).std(-1), blocks(other).std(-1))
    empty = (deviation < FLAT_DEVIATION) & (alike > ALIKE)
    return np.where(empty, FLAT_WEIGHT, 1.0)


def without(weight: Array, regions: Regions, scale: float) -> Array:
    """No weight for blocks that a region touches."""
    for region in regions:
        left, top, right, bottom = (side / scale / BLOCK for side in region)
        rows = slice(max(0, int(top)), max(0, int(np.ceil(bottom))))
        columns = slice(max(0, int(left)), max(0, int(np.ceil(right))))
        weight[rows, columns] = 0
    return weight


def compare(reference: Array, picture: Array, regions: Regions) -> dict[str, Any]:
    height, width = reference.shape[:2]
    own = picture.shape[0] / picture.shape[1]
    if abs(own / (height / width) - 1) > MOST_DISTORTION:
        raise CannotCompareError(
            f"{picture.shape[1]} x {picture.shape[0]} pixels have not the form of "
            f"{width} x {height}"
        )
    tall = max(BLOCK, round(height * WIDTH / width))
    a, b = scaled(reference, tall), scaled(picture, tall)
    channels = [similarity(a[..., at], b[..., at]) for at in range(3)]
    alike = np.minimum.reduce(channels)
    weight = weights(a[..., 0], b[..., 0], alike)
    weight = without(weight, regions, width / WIDTH)
    if not weight.any():
        raise CannotCompareError("nothing of the reference is left to compare")
    lost = weight * (1 - alike)
    worst = np.unravel_index(np.argmax(lost), lost.shape)
    return {
        "millionths": round(float(1 - lost.sum() / weight.sum()) * 1e6),
        "blocks": int((weight > 0).sum()),
        "least_alike_px": [
            round(int(worst[1]) * BLOCK * width / WIDTH),
            round(int(worst[0]) * BLOCK * width / WIDTH),
        ],
    }


def main(reference: str, picture: str, regions: str) -> None:
    try:
        wanted = read(reference)
    except CannotCompareError as error:
        sys.exit(str(error))
    try:
        found = compare(wanted, read(picture), json.loads(regions))
    except CannotCompareError as error:
        found = {"refused": str(error)}
    found["opencv"], found["numpy"] = cv2.__version__, np.__version__
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
