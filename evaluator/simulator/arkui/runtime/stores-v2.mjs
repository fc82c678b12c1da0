// AppStorageV2 and PersistenceV2: objects of a class, found by key.

import { Effect } from './reactive.mjs';

const keyOf = (type, key) => (typeof key === 'string' ? key : type.name);
const makeOf = (type, key, make) => make ?? (typeof key === 'function' ? key : () => new type());

class Connected {
  constructor() {
    this.objects = new Map();
  }

  connect(type, key, make) {
    const name = keyOf(type, key);
    if (!this.objects.has(name))
      this.objects.set(name, this.first(name, type, makeOf(type, key, make)));
    return this.objects.get(name);
  }

  first(_name, _type, make) {
    return make();
  }
  remove(key) {
    this.objects.delete(typeof key === 'string' ? key : key.name);
  }
  keys() {
    return [...this.objects.keys()];
  }
}

class Persistent extends Connected {
  constructor(store) {
    super();
    this.store = store;
  }

  globalConnect({ type, key, defaultCreator }) {
    return this.connect(type, key ?? type.name, defaultCreator);
  }

  first(name, _type, make) {
    const object = make();
    const saved = this.store.get(name);
    if (saved) for (const [property, value] of Object.entries(saved)) object[property] = value;
    const effect = new Effect(() => this.store.set(name, plain(object)));
    effect.order = Infinity;
    return object;
  }

  remove(key) {
    super.remove(key);
    this.store.delete(typeof key === 'string' ? key : key.name);
  }

  save(key) {
    const name = typeof key === 'string' ? key : key.name;
    if (this.objects.has(name)) this.store.set(name, plain(this.objects.get(name)));
  }

  notifyOnError() {}
}

/** The readable properties of an object, traced ones included. */
function plain(object) {
  const values = {};
  for (const property in object)
    if (typeof object[property] !== 'function') values[property] = object[property];
  return JSON.parse(JSON.stringify(values));
}

export class ConnectedStores {
  constructor(app) {
    this.app = new Connected();
    this.persistent = new Persistent(app.stores.open('persistence-v2'));
  }
}
