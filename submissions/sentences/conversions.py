"""What is seen in prediction files and Harbor jobs, and how to put it right."""

from __future__ import annotations

from leaderboard.sentences import Sentence

SENTENCES = (
    Sentence("%(count)s agents in one job"),
    Sentence("Run a job for each agent and submit each configuration on its own."),
    Sentence("no such file, so nobody knows of retries"),
    Sentence("Upload the folder of the job as Harbor wrote it."),
    Sentence("%(trials)s deleted and started again", inner={"trials"}),
    Sentence(
        "Say in the notes of the manifest what went wrong; tokens and time of the "
        "deleted trials are lost. Better run with --max-retries 0."
    ),
    Sentence("%(trials)s graded again, without the agent's time", inner={"trials"}),
    Sentence("Upload the original jobs instead: verification is repeated here anyway."),
    Sentence("%(trials)s to go", inner={"trials"}),
    Sentence("a job that was not finished"),
    Sentence("a trial that was not finished"),
    Sentence("a trial without result.json"),
    Sentence("Finish the job first (harbor job resume goes on where it ended)."),
    Sentence("%(first)s beside %(second)s"),
    Sentence("no agent"),
    Sentence("Submit each configuration on its own."),
    Sentence("Harbor's own agent %(agent)s"),
    Sentence("Submit the work of a coding agent."),
    Sentence("%(value)s, in %(trials)s", inner={"value", "trials"}),
    Sentence(
        "Run the job with the default; as it stands the results are shown apart and "
        "not ranked with the snapshot's."
    ),
    Sentence("%(kind)s in %(trials)s: %(tasks)s", inner={"trials", "tasks"}),
    Sentence("Nothing, if that is how the agent ended: its patch counts as it is."),
    Sentence("Nothing: the patch is checked here anew."),
    Sentence(
        "Run these tasks again: this looks like trouble around the agent. As it "
        "stands the results are shown apart and not ranked."
    ),
    Sentence(
        "a reward of 1 without agent/trajectory.json in %(trials)s: %(tasks)s",
        inner={"trials", "tasks"},
    ),
    Sentence(
        "Add the trajectories: where the snapshot asks for them, a task run that is "
        "completed without one makes the result unverified."
    ),
    Sentence("%(value)s, and the manifest says %(expected)s"),
    Sentence("Correct %(field)s in manifest.json if it is a slip."),
    Sentence("true, so the agent did no work"),
    Sentence("Run the job without --install-only."),
    Sentence("the same work of the agent as in %(place)s"),
    Sentence("Give each run trials of its own; a regraded trial is no new one."),
    Sentence("%(digest)s, and %(whose)s has %(expected)s", inner={"whose"}),
    Sentence("the snapshot"),
    Sentence(
        "Run the task as the snapshot has it; as it stands the results are shown "
        "apart and not ranked."
    ),
    Sentence(
        "%(seen)s where a JSON object of at most %(limit)s bytes belongs",
        inner={"seen"},
    ),
    Sentence("no valid JSON"),
    Sentence("another JSON value"),
    Sentence("one job of %(count)s attempts, which Harbor does not number"),
    Sentence(
        "The attempts become runs in the order in which they started, and the "
        "result is labelled so. Run %(count)s jobs of one attempt for runs of their "
        "own."
    ),
    Sentence(
        "Give %(jobs)s jobs of one attempt a task, or one job of %(attempts)s attempts."
    ),
    Sentence("more than %(count)s trials of %(tasks)s", inner={"tasks"}),
    Sentence("%(tasks)s and others"),
    Sentence(
        "Give a job with %(count)s trials of each task; none may be chosen out of "
        "several."
    ),
    Sentence("no trajectory with steps (ATIF)"),
    Sentence("Upload the trajectory as the agent wrote it; this one is left out."),
    Sentence("no name of a task"),
    Sentence("Upload the folder as Harbor wrote it."),
    Sentence("the task %(name)s"),
    Sentence("Name the task as the snapshot does."),
    Sentence("Submit trials of the tasks of the snapshot only."),
    Sentence("more than %(count)s lines"),
    Sentence("a line of more than %(count)s bytes"),
    Sentence("Put one entry on each line."),
    Sentence("Give a list of entries, or an object with an entry for each task."),
    Sentence("Give one entry for each task of the snapshot."),
    Sentence("the task's slug"),
    Sentence("a name for the configuration, in every entry the same"),
    Sentence('Give the patch as git diff prints it; "" says that nothing was changed.'),
    Sentence("Give the patch as a string."),
    Sentence("%(value)s under the key %(key)s"),
    Sentence("Make the two equal."),
    Sentence("a second file for run %(run)s, beside %(name)s"),
    Sentence("Keep one file for each run."),
    Sentence("null for the patch of %(count)s: %(tasks)s", inner={"count", "tasks"}),
    Sentence(
        "Run these tasks again if the agent did not get to them; as they stand they "
        "count as no change."
    ),
    Sentence("model_name_or_path %(model)s beside %(other)s"),
    Sentence(
        "Submit each configuration on its own: all entries of all runs name the "
        "same one."
    ),
    Sentence("a second entry for %(task)s, beside %(place)s"),
    Sentence(
        "Keep one entry for each task; the attempts of other runs belong into files "
        "of their own."
    ),
    Sentence("%(count)s trial"),
    Sentence("%(count)s trials"),
    Sentence("%(count)s job"),
    Sentence("%(count)s jobs"),
    Sentence("%(count)s task"),
    Sentence("%(count)s tasks"),
    Sentence("more than %(count)s entries"),
    Sentence("no file for run %(run)s"),
)
