// Dependencies between state and what is drawn from it. An effect is one node of the UI
// (or one `if`, one ForEach); it runs again when a value it read has changed.

let current = null;
let created = 0;
const queue = new Set();

const MOST_ROUNDS = 100;

export class Dependency {
  constructor() {
    this.effects = new Set();
  }

  track() {
    if (!current) return;
    this.effects.add(current);
    current.dependencies.add(this);
  }

  notify() {
    for (const effect of [...this.effects]) effect.invalidate();
  }
}

export class Effect {
  /** Runs `action` at once, and again after `flush()` when something it read has changed. */
  constructor(action) {
    this.order = created++;
    this.action = action;
    this.dependencies = new Set();
    this.disposed = false;
    this.run();
  }

  run() {
    this.release();
    const outer = current;
    current = this;
    try {
      this.action();
    } finally {
      current = outer;
    }
  }

  invalidate() {
    if (!this.disposed) queue.add(this);
  }

  release() {
    for (const dependency of this.dependencies) dependency.effects.delete(this);
    this.dependencies.clear();
  }

  dispose() {
    this.disposed = true;
    this.release();
    queue.delete(this);
  }
}

/** Read values without depending on them. */
export function untracked(action) {
  const outer = current;
  current = null;
  try {
    return action();
  } finally {
    current = outer;
  }
}

/** Run every effect that is out of date, outer ones first. */
export function flush() {
  for (let round = 0; queue.size; round++) {
    if (round > MOST_ROUNDS) {
      queue.clear();
      throw new Error(
        'The page never comes to rest: drawing it changes the state it is drawn from.',
      );
    }
    const due = [...queue].sort((a, b) => a.order - b.order);
    queue.clear();
    for (const effect of due) if (!effect.disposed) effect.run();
  }
}
