// `$ui`: what compiled ArkTS calls to build its page.

import { Component, Birth } from './component.mjs';
import { Element, Slot, builderOf, buildingSlot } from './tree.mjs';
import { untracked } from './reactive.mjs';
import { forEach, lazyForEach, repeat } from './lists.mjs';

/** Parameters of a struct without `!!`: the value, and a `$name` event that writes it back. */
function unbound(params) {
  const bound = Object.keys(params).filter((name) => params[name]?.$isTwoWay);
  if (!bound.length) return params;
  const plain = { ...params };
  for (const name of bound) {
    plain[name] = params[name].read();
    plain[`$${name}`] = params[name].write;
  }
  return plain;
}

export class Ui {
  /** `app` is the running app: it knows the components, storages and what is not simulated. */
  constructor(app) {
    this.app = app;
    this.Component = Component;
  }

  get appStorage() {
    return this.app.appStorage;
  }
  get localStorage() {
    return this.app.localStorage;
  }
  get context() {
    return this.app.context;
  }
  get navigation() {
    return this.app.navigation;
  }
  notSimulated(name) {
    return this.app.notSimulated(name);
  }

  element(type, args, styles, body) {
    const element = new Element(type);
    const behavior = this.app.behaviorOf(type);
    element.behavior = behavior;
    element.effect(() => {
      element.update(args(), styles ? styles() : []);
      untracked(() => this.app.applied(element));
    });
    const fill = body && (() => element.build(body));
    if (behavior.fillsLate) element.fill = fill;
    else fill?.();
    this.app.later(() => {
      if (element.disposed) return;
      element.call('onAttach');
      element.call('onAppear');
      if (element.attribute('defaultFocus') === true) this.app.focus(element);
    });
    return element;
  }

  custom(constructor, params, references, trailing, styles, storage) {
    if (!constructor?.$isComponent) return this.unknownComponent(constructor, params);
    if (!styles) return this.instance(constructor, { params, references, trailing, storage });
    return this.element(
      '__Common__',
      () => [],
      styles,
      () => this.instance(constructor, { params, references, trailing, storage }),
    );
  }

  /** A name in a build method that is no struct of the project. */
  unknownComponent(constructor, params) {
    if (typeof constructor === 'function' && !constructor.$placeholder)
      return constructor(params?.());
    return this.notSimulated(constructor?.$placeholder ?? 'an unknown component');
  }

  /** Make a struct and build it in a slot of its own. */
  instance(constructor, { params, references, trailing, storage } = {}) {
    const slot = new Slot('component');
    const parent = slot.owner;
    slot.effect(() => {
      const values = unbound(params?.() ?? {});
      if (slot.instance) {
        untracked(() => slot.instance.$follow(values));
        return;
      }
      const localStorage = storage?.() ?? parent?.$birth.localStorage;
      untracked(() => {
        slot.instance = new constructor(
          new Birth({ ui: this, slot, parent, params: values, references, trailing, localStorage }),
        );
      });
    });
    slot.owner = slot.instance;
    slot.cleanups.push(() => slot.instance.$dispose());
    untracked(() => slot.instance.aboutToAppear?.());
    slot.build(() => slot.instance.build());
    untracked(() => slot.instance.onDidBuild?.());
    return slot;
  }

  /** `if`: the chosen block is built anew only when another one is chosen. */
  branch(choose, blocks) {
    const slot = new Slot('group');
    let chosen = -1;
    slot.effect(() => {
      const now = choose();
      if (now === chosen) return;
      chosen = now;
      slot.clear();
      if (now >= 0) slot.build(blocks[now]);
    });
  }

  forEach(list, item, key, attributes) {
    forEach(list, item, key, attributes);
  }
  lazyForEach(source, item, key, attributes) {
    lazyForEach(source, item, key, attributes);
  }
  repeat(list, parts) {
    repeat(list, parts);
  }

  /** A builder as a value; it keeps the struct it was written in. */
  builder(build) {
    const slot = buildingSlot();
    const owner = slot?.owner ?? null;
    build.$owner = owner;
    return build;
  }

  /** Parameters by reference: read anew on every use. */
  byReference(thunks) {
    const live = {};
    for (const [name, read] of Object.entries(thunks))
      Object.defineProperty(live, name, { enumerable: true, get: read });
    return live;
  }

  twoWay(read, write) {
    return { $isTwoWay: true, read, write };
  }

  builderOf(value) {
    return builderOf(value);
  }
}
