// @kit.ArkData: preferences, kept in the private storage of the app.

import { answer } from '../stage.mjs';
import { openObject } from './index.mjs';

const nameOf = (options) => (typeof options === 'string' ? options : options.name);

class Preferences {
  constructor(store) {
    this.store = store;
    this.pending = new Map(store.values);
    this.observers = { change: new Set(), multiProcessChange: new Set(), dataChange: new Set() };
  }

  getSync(key, fallback) {
    return this.pending.has(key) ? revive(this.pending.get(key)) : fallback;
  }
  putSync(key, value) {
    this.pending.set(key, keep(value));
    for (const observer of this.observers.change) observer(key);
  }
  hasSync(key) {
    return this.pending.has(key);
  }
  deleteSync(key) {
    this.pending.delete(key);
  }
  clearSync() {
    this.pending.clear();
  }
  getAllSync() {
    return Object.fromEntries([...this.pending].map(([key, value]) => [key, revive(value)]));
  }
  flushSync() {
    this.store.values = new Map(this.pending);
    this.store.save();
  }

  get(key, fallback, callback) {
    return answer(this.getSync(key, fallback), callback);
  }
  put(key, value, callback) {
    return answer(this.putSync(key, value), callback);
  }
  has(key, callback) {
    return answer(this.hasSync(key), callback);
  }
  delete(key, callback) {
    return answer(this.deleteSync(key), callback);
  }
  clear(callback) {
    return answer(this.clearSync(), callback);
  }
  getAll(callback) {
    return answer(this.getAllSync(), callback);
  }
  flush(callback) {
    return answer(this.flushSync(), callback);
  }

  on(event, observer) {
    this.observers[event]?.add(observer);
  }
  off(event, observer) {
    if (observer) this.observers[event]?.delete(observer);
    else this.observers[event]?.clear();
  }
}

/** Byte arrays survive JSON as a marked list. */
const keep = (value) =>
  value instanceof Uint8Array ? { $bytes: [...value] } : JSON.parse(JSON.stringify(value ?? null));
const revive = (value) => (value?.$bytes ? new Uint8Array(value.$bytes) : structuredClone(value));

export function arkData(app) {
  const opened = new Map();
  const open = (options) => {
    const name = `preferences-${nameOf(options)}`;
    if (!opened.has(name)) opened.set(name, new Preferences(app.stores.open(name)));
    return opened.get(name);
  };
  const forget = (options) => {
    opened.delete(`preferences-${nameOf(options)}`);
  };
  const remove = (options) => {
    forget(options);
    app.stores.delete(`preferences-${nameOf(options)}`);
  };
  return {
    preferences: openObject(
      'preferences',
      {
        MAX_KEY_LENGTH: 1024,
        MAX_VALUE_LENGTH: 16777216,
        StorageType: { XML: 0, GSKV: 1 },
        getPreferencesSync: (_context, options) => open(options),
        getPreferences: (_context, options, callback) => answer(open(options), callback),
        deletePreferences: (_context, options, callback) => answer(remove(options), callback),
        deletePreferencesSync: (_context, options) => remove(options),
        removePreferencesFromCache: (_context, options, callback) =>
          answer(forget(options), callback),
        removePreferencesFromCacheSync: (_context, options) => forget(options),
      },
      app,
    ),
  };
}
