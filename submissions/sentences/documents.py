"""What is seen in manifests and other JSON files, and how to put it right."""

from __future__ import annotations

from leaderboard.sentences import Sentence

SENTENCES = (
    Sentence("no such field"),
    Sentence("no such file in the archive"),
    Sentence("an unknown field"),
    Sentence("an unknown field with the value %(value)s", inner={"value"}),
    Sentence("an object with %(count)s fields"),
    Sentence("a list with %(count)s items"),
    Sentence("Add %(field)s.", inner={"field"}),
    Sentence("Give %(field)s.", inner={"field"}),
    Sentence("Give %(expected)s: %(field)s.", inner={"expected", "field"}),
    Sentence("Give an object with the fields."),
    Sentence("Give an object with %(fields)s."),
    Sentence("the field"),
    Sentence("%(field)s: an object with %(fields)s", inner={"field"}),
    Sentence("%(field)s, such as %(example)s", inner={"field"}),
    Sentence("Rename it to %(name)s, or remove it."),
    Sentence("Remove it. Known here: %(names)s."),
    Sentence("Remove it."),
    Sentence("a string in double quotes"),
    Sentence("a whole number without quotes"),
    Sentence("a number without quotes"),
    Sentence("a whole number from 0 to %(limit)s"),
    Sentence("a number from 0 to %(limit)s with at most three decimals"),
    Sentence("an object"),
    Sentence("the number %(number)s"),
    Sentence("at least %(count)s character"),
    Sentence("at most %(count)s characters"),
    Sentence("%(limit)s or more"),
    Sentence("%(limit)s or less"),
    Sentence(
        "Give %(expected)s, or leave the field out when it was not measured.",
        inner={"expected"},
    ),
    Sentence("a byte-order mark before the text"),
    Sentence("Save the file as UTF-8 without a byte-order mark."),
    Sentence("byte %(byte)s, which is not UTF-8"),
    Sentence("Save the file as UTF-8."),
    Sentence("more than %(count)s values"),
    Sentence("Leave out what is not asked for."),
    Sentence("objects and lists nested too deeply"),
    Sentence("Keep the nesting within %(count)s levels."),
    Sentence("the string %(value)s, with a NUL or half a surrogate pair"),
    Sentence("Leave such characters out."),
    Sentence("Write a finite number, or leave the field out."),
    Sentence("Write a number within the range of a double."),
    Sentence("Write an integer within plus or minus 2 to the power of 53."),
    Sentence("the key %(key)s a second time"),
    Sentence("Correct the JSON at this place."),
    Sentence("the end of the file"),
    Sentence("%(seen)s after the end of the JSON value", inner={"seen"}),
    Sentence("%(seen)s where a key in double quotes belongs", inner={"seen"}),
    Sentence("%(seen)s where a colon belongs", inner={"seen"}),
    Sentence("%(seen)s where a value belongs", inner={"seen"}),
    Sentence("%(seen)s where %(wanted)s belongs", inner={"seen"}),
    Sentence("the control character %(seen)s in a string"),
    Sentence("a string that is not valid here (%(error)s)"),
    Sentence("Put manifest.json at the top of the archive."),
    Sentence("0, and first.patch is not final.patch"),
    Sentence(
        "Give the rounds that led from one to the other, or leave first.patch out "
        "when it is no state before compile repair."
    ),
    Sentence("0, and a patch that changes something"),
    Sentence("Leave the field out when it was not measured; 0 means none were used."),
    Sentence("a second trajectory beside %(name)s"),
    Sentence(
        "Keep a patch within %(limit)s bytes; leave build products and other "
        "generated files out of it."
    ),
)
