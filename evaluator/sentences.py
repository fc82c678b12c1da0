"""What the evaluator keeps in words: pauses of pools, and why a task run failed."""

from __future__ import annotations

from leaderboard.sentences import Sentence

POOL_IN_TROUBLE = Sentence(
    "%(troubled)s of the last %(attempts)s attempts: our trouble"
)
# Forms of the gate's objections and of other details; the modules that find the
# faults write them.
SENTENCES = (
    POOL_IN_TROUBLE,
    Sentence("%(task)s failed"),
    Sentence("the lines around line %(line)s are not those of the base project"),
    Sentence("lies behind a symbolic link"),
    Sentence("is created by the patch, but the base project has it"),
    Sentence("is changed by the patch, but the base project does not have it"),
    Sentence("this is not a patch in git's format (%(what)s)"),
    Sentence("the patch is damaged: %(what)s"),
    Sentence("its own header lines end in CRLF; send the output of git diff as it is"),
    Sentence("git refused it: %(said)s"),
    Sentence("leads out of the project"),
    Sentence("belongs to git itself"),
    Sentence("has %(count)s bytes; %(limit)s are allowed"),
    Sentence("binary parts hold %(count)s bytes; %(limit)s are allowed"),
    Sentence("git needs more memory or time for it than the gate gives"),
    Sentence("changes %(count)s files; %(limit)s are allowed"),
    Sentence("has more than %(room)s bytes (%(left)s are left for all files)"),
    Sentence("is a symbolic link; only regular files are allowed"),
    Sentence("is a submodule; only regular files are allowed"),
    Sentence("is new with mode %(mode)s; new files have %(regular)s"),
    Sentence("changes its mode from %(before)s to %(after)s; leave modes alone"),
    Sentence("has mode %(mode)s; only regular files are allowed"),
    Sentence("is longer than %(limit)s bytes"),
    Sentence("has a name of over %(limit)s bytes"),
    Sentence("is not UTF-8"),
    Sentence("is not in Unicode normal form C"),
    Sentence("holds a backslash, a control character or an invisible character"),
    Sentence("is a file, and %(path)s needs a folder of that name"),
    Sentence("differs only in case from %(others)s"),
    Sentence("is an image outside a resources folder"),
    Sentence("is an image of %(count)s bytes; %(limit)s are allowed"),
    Sentence("is a prebuilt library or package by its name"),
    Sentence("is a program or an archive by its first bytes"),
    Sentence("is binary and none of the known image formats (PNG, JPEG, GIF, WebP)"),
    Sentence("the agent did not end within its time; it ran %(seconds)s s in all"),
    Sentence("setup failed: %(message)s"),
    Sentence("the device refused the package (%(code)s): %(meaning)s"),
)
