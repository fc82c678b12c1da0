// How a build ends early.

/** The build needs something of the toolchain that is not simulated. */
export class NotSimulated extends Error {}

/** A task found errors in the project. */
export class TaskFailed extends Error {
  constructor(task, findings, warnings = []) {
    super(`${task} failed with ${findings.length} errors`);
    Object.assign(this, { task, findings, warnings });
  }
}

/** The command line makes no sense; hvigorw was asked wrongly. */
export class UsageError extends Error {}
