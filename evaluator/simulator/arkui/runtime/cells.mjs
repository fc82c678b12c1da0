// State variables: a value, who depends on it, and who watches it.

import { Dependency, Effect, untracked } from './reactive.mjs';
import { deepCopy, observe, subscribe, unsubscribe, versionOf } from './observed.mjs';

/** One state variable. Shared between parent and child where the child has a `@Link`. */
export class Cell {
  constructor(value, { builtinOnly = false } = {}) {
    this.dependency = new Dependency();
    this.watchers = new Set();
    this.builtinOnly = builtinOnly;
    this.adopt(value);
  }

  get() {
    this.dependency.track();
    return this.value;
  }

  set(value) {
    if (value === this.value) return;
    this.adopt(value);
    this.changed();
  }

  adopt(value) {
    unsubscribe(this.value, this);
    this.value = observe(value, { builtinOnly: this.builtinOnly });
    subscribe(this.value, this);
  }

  changed() {
    this.dependency.notify();
    for (const watcher of [...this.watchers]) untracked(watcher);
  }

  release() {
    unsubscribe(this.value, this);
  }
}

/** `@Prop`: a copy that follows the value of the parent when that one changes. */
export class CopyCell extends Cell {
  constructor(value) {
    super(deepCopy(value));
    this.seen = [value, versionOf(value)];
  }

  follow(value) {
    if (value === this.seen[0] && versionOf(value) === this.seen[1]) return;
    this.seen = [value, versionOf(value)];
    this.set(deepCopy(value));
  }
}

/** `@ObjectLink`: the parent's own object, which may change inside but not be replaced. */
export class ObjectCell extends Cell {
  set() {
    throw new TypeError(
      '@ObjectLink variables cannot be assigned to; change a property of the object instead.',
    );
  }

  adopt(value) {
    unsubscribe(this.value, this);
    this.value = value;
    subscribe(value, this);
  }

  follow(value) {
    if (value === this.value) return;
    this.adopt(value);
    this.changed();
  }
}

/** A link to something that is no state variable itself, such as `this.user.name`. */
export class BridgeCell {
  constructor(read, write) {
    this.read = read;
    this.write = write;
    this.watchers = new Set();
    this.before = untracked(read);
    this.effect = new Effect(() => this.look());
  }

  look() {
    const value = this.read();
    if (value === this.before) return;
    this.before = value;
    for (const watcher of [...this.watchers]) untracked(watcher);
  }

  get() {
    return this.read();
  }

  set(value) {
    this.write(value);
  }

  release() {
    this.effect.dispose();
  }
}
