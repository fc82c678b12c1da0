// The tree of a running page. Every slot is a place in it: an element, or a group that
// stands for its children (`if`, ForEach, a struct, a builder).

import { Effect, untracked } from './reactive.mjs';

let uids = 0;
let building = null; // the slot that new slots are put into

export class Slot {
  constructor(kind) {
    this.kind = kind;
    this.parent = building;
    this.owner = building?.owner ?? null; // the struct whose build() we are in
    this.children = [];
    this.effects = [];
    this.cleanups = [];
    this.disposed = false;
    building?.children.push(this);
  }

  /** Run `action`; the slots it makes become children of this one. */
  build(action) {
    const outer = building;
    building = this;
    try {
      untracked(action);
    } finally {
      building = outer;
    }
  }

  effect(action) {
    this.effects.push(new Effect(action));
  }

  clear() {
    for (const child of this.children.splice(0)) child.dispose();
  }

  dispose() {
    if (this.disposed) return;
    this.disposed = true;
    for (const effect of this.effects) effect.dispose();
    this.clear();
    for (const cleanup of this.cleanups) cleanup();
  }

  /** The elements that stand for this slot, in order. */
  elements() {
    return this.kind === 'element' ? [this] : this.children.flatMap((child) => child.elements());
  }
}

/** A component of ArkUI with its arguments and attributes. */
export class Element extends Slot {
  constructor(type) {
    super('element');
    this.uid = ++uids;
    this.type = type;
    this.args = [];
    this.attributes = new Map();
    this.writers = new Map(); // parameter -> function that writes it back to the app
    this.state = {}; // what the component itself remembers: text, checked, offset, ...
    this.parts = new Map(); // builders given as attributes, such as a title
    this.given = {};
  }

  /** Take over new arguments and attributes. */
  update(args, attributes) {
    this.writers.clear();
    this.args = args.map((value) => this.plain(value, ''));
    this.attributes = new Map();
    for (const [name, values] of attributes)
      this.attributes.set(
        name,
        values.map((value) => this.plain(value, name)),
      );
  }

  /** Values without `$$`: what is written back is remembered by its name. */
  plain(value, name) {
    if (value?.$isTwoWay) {
      this.writers.set(name, value.write);
      return value.read();
    }
    if (
      name !== '' ||
      typeof value !== 'object' ||
      value === null ||
      Object.getPrototypeOf(value) !== Object.prototype
    )
      return value;
    const copy = {};
    for (const key of Object.keys(value))
      copy[key] = value[key]?.$isTwoWay ? this.plain(value[key], key) : value[key];
    return copy;
  }

  has(name) {
    return this.attributes.has(name);
  }
  attribute(name) {
    return this.attributes.get(name)?.[0];
  }

  option(name) {
    const first = this.args[0];
    return typeof first === 'object' && first !== null ? first[name] : undefined;
  }

  /** Build a builder once as a part of this element, outside of its children. */
  part(name, builder, ...values) {
    if (!builder) return null;
    if (!this.parts.has(name)) {
      const slot = new DetachedSlot(this);
      this.parts.set(name, slot);
      slot.build(() => builder(...values));
    }
    return this.parts.get(name);
  }

  dropPart(name) {
    this.parts.get(name)?.dispose();
    this.parts.delete(name);
  }

  dispose() {
    if (this.disposed) return;
    for (const name of [...this.parts.keys()]) this.dropPart(name);
    super.dispose();
    this.call('onDisAppear');
    this.call('onDetach');
  }

  /** Call a handler of the app, if there is one. */
  call(name, ...values) {
    const handler = this.attribute(name);
    return typeof handler === 'function' ? untracked(() => handler(...values)) : undefined;
  }
}

/** A root of its own: it has an owner, but nobody lists it as a child. */
export class DetachedSlot extends Slot {
  constructor(at) {
    const outer = building;
    building = null;
    super('group');
    building = outer;
    this.parent = at ?? null;
    this.owner = at?.owner ?? null;
  }
}

export const buildingSlot = () => building;

/** The builder in an attribute: a builder, `{ builder }` or a plain function; else null. */
export function builderOf(value) {
  if (typeof value === 'function') return value;
  if (typeof value?.builder === 'function') return value.builder;
  return null;
}
