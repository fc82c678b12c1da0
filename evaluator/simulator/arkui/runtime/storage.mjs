// AppStorage, LocalStorage and PersistentStorage.

import { Cell } from './cells.mjs';
import { opaque } from './observed.mjs';

/** A table of named state variables. */
export class LocalStorage {
  static shared = null; // the storage of the window, set by the app

  static getShared() {
    return LocalStorage.shared;
  }

  static GetShared() {
    return LocalStorage.shared;
  }

  constructor(initial = {}) {
    this.cells = new Map(
      Object.entries(initial ?? {}).map(([name, value]) => [name, new Cell(value)]),
    );
  }

  /** The cell of a name, made with `fallback` if there is none yet. */
  cell(name, fallback) {
    if (!this.cells.has(name)) this.cells.set(name, new Cell(fallback));
    return this.cells.get(name);
  }

  has(name) {
    return this.cells.has(name);
  }
  get(name) {
    return this.cells.get(name)?.get();
  }
  keys() {
    return this.cells.keys();
  }
  size() {
    return this.cells.size;
  }

  set(name, value) {
    if (!this.cells.has(name)) return false;
    this.cells.get(name).set(value);
    return true;
  }

  setOrCreate(name, value) {
    if (!this.set(name, value)) this.cells.set(name, new Cell(value));
    return true;
  }

  link(name) {
    return this.cells.has(name) ? new Link(this.cells.get(name)) : undefined;
  }
  prop(name) {
    return this.cells.has(name) ? new Link(new Cell(this.get(name))) : undefined;
  }
  setAndLink(name, fallback) {
    return new Link(this.cell(name, fallback));
  }
  setAndProp(name, fallback) {
    return new Link(new Cell(this.cell(name, fallback).get()));
  }
  ref(name) {
    return this.link(name);
  }
  setAndRef(name, fallback) {
    return this.setAndLink(name, fallback);
  }

  delete(name) {
    return this.cells.delete(name);
  }
  clear() {
    this.cells.clear();
    return true;
  }
}
opaque(LocalStorage);

/** What `AppStorage.link()` hands out. */
class Link {
  constructor(cell) {
    this.cell = cell;
  }

  get() {
    return this.cell.get();
  }
  set(value) {
    this.cell.set(value);
  }
  aboutToBeDeleted() {}
  info() {
    return '';
  }
}
opaque(Link);

const PASCAL = [
  'Has',
  'Get',
  'Set',
  'SetOrCreate',
  'Link',
  'Prop',
  'SetAndLink',
  'SetAndProp',
  'Delete',
  'Keys',
  'Size',
  'Clear',
];

/** AppStorage has each method in two spellings. */
export function makeAppStorage() {
  const storage = new LocalStorage();
  for (const name of PASCAL)
    storage[name] = (...args) => storage[name[0].toLowerCase() + name.slice(1)](...args);
  return storage;
}

/** Properties of AppStorage that outlive the process, kept in a store of the app. */
export class PersistentStorage {
  constructor(appStorage, store) {
    this.appStorage = appStorage;
    this.store = store;
    this.bridges = new Map();
    for (const name of ['PersistProp', 'DeleteProp', 'PersistProps', 'Keys']) {
      this[name] = (...args) => this[name[0].toLowerCase() + name.slice(1)](...args);
    }
  }

  persistProp(name, fallback) {
    if (this.bridges.has(name)) return;
    const cell = this.appStorage.has(name)
      ? this.appStorage.cell(name)
      : this.appStorage.cell(name, this.store.has(name) ? this.store.get(name) : fallback);
    const save = () => this.store.set(name, cell.value);
    cell.watchers.add(save);
    this.bridges.set(name, () => cell.watchers.delete(save));
    save();
  }

  persistProps(entries) {
    for (const { key, defaultValue } of entries) this.persistProp(key, defaultValue);
  }

  deleteProp(name) {
    this.bridges.get(name)?.();
    this.bridges.delete(name);
    this.store.delete(name);
  }

  keys() {
    return [...this.bridges.keys()];
  }
}
