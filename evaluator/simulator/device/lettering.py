"""Capital letters of three by five dots, enough to read a screenshot by."""

from __future__ import annotations

import textwrap

WIDTH, HEIGHT = 3, 5
ADVANCE = WIDTH + 1
LINE = HEIGHT + 2

# Five rows a letter, top to bottom, each an octal digit: 4 left, 2 middle, 1 right.
_LETTERS = """
A25755 B65656 C34443 D65556 E74647 F74644 G34553 H55755 I72227 J11152 K55655 L44447
M57755 N75555 O25552 P65644 Q25563 R65655 S34216 T72222 U55557 V55552 W55775 X55255
Y55222 Z71247 075557 126227 261247 361216 455711 574616 634652 771122 825252 925316
.00002 ,00024 :02020 ;02024 !22202 ?61202 -00700 +02720 /11244 (12221 )42224 '22000
"55000 %51245 =07070 _00007 #57575 *05250 <12421 >42124 [64446 ]31113 &25253 |22222
"""
_ROWS = {word[0]: tuple(map(int, word[1:])) for word in _LETTERS.split()}
_BLANK = (0, 0, 0, 0, 0)
_UNKNOWN = (7, 5, 5, 5, 7)


def dots(letter: str) -> list[tuple[int, int]]:
    """The dots (column, row) of a letter; a box stands for what is not Latin."""
    rows = _BLANK if letter.isspace() else _ROWS.get(letter.upper(), _UNKNOWN)
    return [
        (column, row)
        for row, bits in enumerate(rows)
        for column in range(WIDTH)
        if bits & (4 >> column)
    ]


def lines(text: str, columns: int) -> list[str]:
    """Break a text into lines of at most ``columns`` letters, at spaces if it can."""
    broken = [textwrap.wrap(part, max(1, columns)) for part in text.split("\n")]
    return [line for part in broken for line in part or [""]]
