// NavPathStack: the pages that lie on top of a Navigation.

import { Dependency } from '../reactive.mjs';
import { opaque } from '../observed.mjs';

/** The pages that lie on top of a Navigation's own content. */
export class NavPathStack {
  constructor() {
    this.entries = []; // { name, param, onPop, slot, element }
    this.changed = new Dependency();
    this.interception = null;
  }

  change(action) {
    const before = this.entries.at(-1);
    action();
    const after = this.entries.at(-1);
    if (before !== after)
      this.interception?.didShow?.(before?.name ?? 'navBar', after?.name ?? 'navBar', 0, true);
    this.changed.notify();
  }

  pushPath(info) {
    this.change(() => this.entries.push(entryOf(info)));
  }
  pushPathByName(name, param, onPop) {
    this.pushPath({ name, param, onPop: typeof onPop === 'function' ? onPop : undefined });
  }
  async pushDestination(info) {
    this.pushPath(info);
  }
  async pushDestinationByName(name, param, onPop) {
    this.pushPathByName(name, param, onPop);
  }
  replacePath(info) {
    this.change(() => {
      this.entries.pop();
      this.entries.push(entryOf(info));
    });
  }
  replacePathByName(name, param) {
    this.replacePath({ name, param });
  }
  async replaceDestination(info) {
    this.replacePath(info);
  }

  pop(result) {
    const top = this.entries.at(-1);
    if (!top) return undefined;
    this.change(() => this.entries.pop());
    const info = infoOf(top);
    if (result !== undefined && typeof result !== 'boolean') top.onPop?.({ info, result });
    return info;
  }

  popToName(name) {
    const index = this.entries.findLastIndex((entry) => entry.name === name);
    if (index >= 0) this.popToIndex(index);
    return index;
  }

  popToIndex(index) {
    this.change(() => this.entries.splice(index + 1));
  }
  moveToTop(name) {
    const index = this.entries.findLastIndex((entry) => entry.name === name);
    if (index >= 0) this.change(() => this.entries.push(...this.entries.splice(index, 1)));
    return index;
  }
  moveIndexToTop(index) {
    this.change(() => this.entries.push(...this.entries.splice(index, 1)));
  }
  clear() {
    this.change(() => this.entries.splice(0));
  }
  removeByName(name) {
    const before = this.entries.length;
    this.change(() => {
      this.entries = this.entries.filter((entry) => entry.name !== name);
    });
    return before - this.entries.length;
  }
  removeByIndexes(indexes) {
    const before = this.entries.length;
    this.change(() => {
      this.entries = this.entries.filter((_, index) => !indexes.includes(index));
    });
    return before - this.entries.length;
  }

  size() {
    this.changed.track();
    return this.entries.length;
  }
  getAllPathName() {
    this.changed.track();
    return this.entries.map((entry) => entry.name);
  }
  getParamByName(name) {
    return this.entries.filter((entry) => entry.name === name).map((entry) => entry.param);
  }
  getParamByIndex(index) {
    return this.entries[index]?.param;
  }
  getIndexByName(name) {
    return this.entries.flatMap((entry, index) => (entry.name === name ? [index] : []));
  }
  getPathStack() {
    return this.entries.map(infoOf);
  }
  getParent() {
    return null;
  }
  disableAnimation() {}
  setInterception(interception) {
    this.interception = interception;
  }
}
opaque(NavPathStack);

const entryOf = ({ name, param, onPop }) => ({ name, param, onPop });
export const infoOf = ({ name, param, onPop }) => ({ name, param, onPop });

/** The stack that a Navigation shows; one of its own if the app gave none. */
export const stackOf = (element) =>
  element.args[0] instanceof NavPathStack
    ? element.args[0]
    : (element.state.stack ??= new NavPathStack());
