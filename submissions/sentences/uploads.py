"""What is seen in an upload as a whole, and how to put it right."""

from __future__ import annotations

from leaderboard.sentences import Sentence

SENTENCES = (
    Sentence("%(used)s of %(limit)s submissions of this month are used"),
    Sentence("Submit again from %(day)s on. Checks are never counted."),
    Sentence("%(running)s of %(limit)s evaluations are running"),
    Sentence("Wait until one is finished, or cancel it."),
    Sentence("the quota of team %(team)s"),
    Sentence("your quota"),
    Sentence("this installation"),
    Sentence("the whole upload"),
    Sentence("%(count)s more findings of this kind"),
    Sentence("Correct the listed ones first; the others are likely the same."),
    Sentence("the very files that you submitted as %(submission)s"),
    Sentence(
        "Follow that submission at %(url)s; to have it evaluated again, use Re-run "
        "there, or cancel it before you send it anew."
    ),
    Sentence("%(version)s, which was closed while the upload was checked"),
    Sentence("%(version)s, which is frozen"),
    Sentence(
        "Name a snapshot that takes submissions: %(versions)s.",
        inner={"versions"},
    ),
    Sentence("none at present"),
    Sentence(
        "no working sandbox, so no code from outside is run here; the bundle itself "
        "has no fault"
    ),
    Sentence(
        "Ask the operator to set one up (manage.py doctor says what is missing), or "
        "a maintainer to submit the bundle. The samples of this project are taken "
        "from everybody."
    ),
    Sentence("%(model)s, which follows a script"),
    Sentence("Name a real model: scripts are for snapshots with a simulated device."),
    Sentence("%(agent)s, which no worker runs"),
    Sentence(
        "Name one that is run here: %(agents)s. Or run it yourself and hand in the "
        'work, with mode "workspaces".',
        inner={"agents"},
    ),
    Sentence("%(model)s of %(provider)s, for which no worker has a key"),
    Sentence(
        "Name one that can be asked here: %(models)s. Or ask the operator for it; "
        "keys are never sent in a bundle.",
        inner={"models"},
    ),
    Sentence("%(count)s that cannot be applied: %(patches)s", inner={"patches"}),
    Sentence(
        "Make each with git diff --binary against the base commit of its task. As "
        "they stand, these task runs are scored as not completed."
    ),
    Sentence("a change of %(path)s, which leads out of the project"),
    Sentence(
        "Make the patch with git diff inside the project; it holds no such paths."
    ),
    Sentence("a symbolic link or submodule: %(paths)s"),
    Sentence(
        "Leave it out of the patch: only regular files are allowed, and outside of "
        "installed packages the task run is scored as not applied."
    ),
    Sentence("no trajectory for %(count)s tasks: %(tasks)s", inner={"tasks"}),
    Sentence("%(tasks)s and %(count)s more"),
    Sentence(
        "%(advice)s This snapshot asks for them: if one of these task runs is "
        "completed, the whole result is unverified and not ranked.",
        inner={"advice"},
    ),
    Sentence(
        "Add trajectory.jsonl where you have it: reviewers look at it before a "
        "result is published."
    ),
    Sentence(
        "Prediction files cannot carry them. Convert the files with ohbench convert "
        "predictions and add trajectory.jsonl to the bundle: reviewers look at it "
        "before a result is published."
    ),
    Sentence(
        "Let the agent write agent/trajectory.json (ATIF): reviewers look at it "
        "before a result is published."
    ),
    Sentence("the same trajectory in the runs %(runs)s"),
    Sentence("Check that the runs are independent and each has its own."),
    Sentence("run %(run)s"),
    Sentence("Number the runs 1 to %(count)s."),
    Sentence("a task that snapshot %(version)s does not have, in the runs %(runs)s"),
    Sentence(
        "%(missing)s of %(count)s tasks without %(entry)s: %(tasks)s",
        inner={"entry", "tasks"},
    ),
    Sentence("an entry"),
    Sentence("a finished trial with artifacts/logs/artifacts/model.patch"),
    Sentence("Add the file for each; an empty one says that nothing was changed."),
    Sentence(
        "Add an entry for each to the file of the run; an empty model_patch says "
        "that nothing was changed."
    ),
    Sentence(
        "Run them, with a collect hook that writes git diff --cached --binary "
        "against the base commit to /logs/artifacts/model.patch; an empty file says "
        "that nothing was changed."
    ),
    Sentence("%(count)s files beside the manifest of a configuration"),
    Sentence(
        'Leave them out: with mode "configuration" the agent is run here. To hand '
        'in finished work, give "workspaces" as the mode.'
    ),
    Sentence("Give %(count)s: the snapshot asks for %(count2)s runs."),
    Sentence("%(value)s, and the snapshot has %(expected)s"),
    Sentence(
        "This snapshot takes only %(expected)s here: measure again under its "
        "conditions."
    ),
    Sentence(
        "Correct it if it is a slip; as it stands the results are shown apart and "
        "not ranked with the snapshot's."
    ),
    Sentence("what looks like a %(kind)s, %(masked)s", inner={"kind"}),
    Sentence("Remove it and revoke the key: uploads become public."),
    Sentence("private key"),
    Sentence("API token of this site"),
    Sentence("%(service)s key"),
    Sentence("%(service)s token"),
    Sentence("%(first)s; %(others)s", inner={"first", "others"}, part=True),
    Sentence("%(patch)s (%(why)s)", inner={"why"}, part=True),
    Sentence("and %(count)s more", part=True),
    Sentence("%(path)s is there already", part=True),
    Sentence("%(path)s: the lines expected at %(line)s are not there", part=True),
    Sentence("the base has no %(path)s", part=True),
    Sentence("holds no change of a file as git diff prints it", part=True),
)
