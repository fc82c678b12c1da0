// Which changes inside a value are noticed. As in ArkUI: the first level of an object in
// a state variable, the items of an array, Date, Map and Set; deeper levels only where
// their class is `@Observed`.

const details = new WeakMap(); // proxy -> { target, observers, version, isObservedClass }
const OPAQUE = Symbol('opaque');

const CHANGING = {
  Array: new Set([
    'push',
    'pop',
    'shift',
    'unshift',
    'splice',
    'sort',
    'reverse',
    'fill',
    'copyWithin',
  ]),
  Map: new Set(['set', 'delete', 'clear']),
  Set: new Set(['add', 'delete', 'clear']),
};

/** Mark a class of ours whose objects have no state of the app inside. */
export function opaque(constructor) {
  constructor.prototype[OPAQUE] = true;
  return constructor;
}

export const versionOf = (value) => details.get(value)?.version ?? 0;
export const targetOf = (value) => details.get(value)?.target ?? value;

function kindOf(value) {
  if (typeof value !== 'object' || value === null || value[OPAQUE]) return null;
  if (Array.isArray(value)) return 'Array';
  if (value instanceof Map) return 'Map';
  if (value instanceof Set) return 'Set';
  if (value instanceof Date) return 'Date';
  if (
    value instanceof Promise ||
    value instanceof WeakMap ||
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer
  )
    return null;
  if (value instanceof Error || value instanceof RegExp) return null;
  return 'Object';
}

/** Wrap a value so that its first level is watched. `builtinOnly` leaves plain objects alone. */
export function observe(value, { builtinOnly = false, isObservedClass = false } = {}) {
  if (details.has(value)) return value;
  const kind = kindOf(value);
  if (!kind || (builtinOnly && kind === 'Object')) return value;
  const about = { target: value, observers: new Set(), version: 0, isObservedClass, quiet: 0 };
  const proxy = new Proxy(value, handlerOf(kind, about));
  details.set(proxy, about);
  return proxy;
}

export function subscribe(value, observer) {
  details.get(value)?.observers.add(observer);
}

export function unsubscribe(value, observer) {
  details.get(value)?.observers.delete(observer);
}

function changed(about) {
  if (about.quiet) return;
  about.version += 1;
  for (const observer of [...about.observers]) observer.changed();
}

function handlerOf(kind, about) {
  const collection = kind === 'Map' || kind === 'Set' || kind === 'Date';
  return {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, collection ? target : receiver);
      if (typeof value !== 'function') return value;
      const isChange =
        kind === 'Date'
          ? typeof name === 'string' && name.startsWith('set')
          : CHANGING[kind]?.has(name);
      if (isChange) return changing(about, value, collection ? target : receiver);
      return collection ? value.bind(target) : value;
    },
    set(target, name, value, receiver) {
      const before = target[name];
      const had = Object.prototype.hasOwnProperty.call(target, name);
      const ok = Reflect.set(target, name, value, receiver);
      if ((!had || before !== value) && isTracked(target, name)) changed(about);
      return ok;
    },
    deleteProperty(target, name) {
      const had = Object.prototype.hasOwnProperty.call(target, name);
      const ok = Reflect.deleteProperty(target, name);
      if (had) changed(about);
      return ok;
    },
  };
}

/** A method that changes a collection in many steps is one change. */
function changing(about, method, self) {
  return (...args) => {
    about.quiet += 1;
    try {
      const result = method.apply(self, args);
      return result === about.target ? self : result;
    } finally {
      about.quiet -= 1;
      changed(about);
    }
  };
}

// In a class with `@Track`, only the tracked properties count.
const tracked = new WeakMap(); // prototype -> Set of names

export function Track(prototype, name) {
  if (!tracked.has(prototype)) tracked.set(prototype, new Set());
  tracked.get(prototype).add(name);
}

function isTracked(target, name) {
  for (let at = Object.getPrototypeOf(target); at; at = Object.getPrototypeOf(at)) {
    const names = tracked.get(at);
    if (names) return names.has(name);
  }
  return true;
}

/** `@Observed`: every object of the class is watched from its construction on. */
export function Observed(constructor) {
  return new Proxy(constructor, {
    construct: (target, args, newTarget) =>
      observe(Reflect.construct(target, args, newTarget), { isObservedClass: true }),
  });
}

/** The copy that a `@Prop` holds: as deep as the value, with the same classes. */
export function deepCopy(value, seen = new Map()) {
  const kind = kindOf(value);
  if (!kind) return value;
  const source = targetOf(value);
  if (seen.has(source)) return seen.get(source);
  if (kind === 'Date') return new Date(source.getTime());
  const bare =
    kind === 'Array'
      ? []
      : kind === 'Map'
        ? new Map()
        : kind === 'Set'
          ? new Set()
          : Object.create(Object.getPrototypeOf(source));
  const copy = details.get(value)?.isObservedClass
    ? observe(bare, { isObservedClass: true })
    : bare;
  seen.set(source, copy);
  if (kind === 'Map') for (const [name, item] of source) bare.set(name, deepCopy(item, seen));
  else if (kind === 'Set') for (const item of source) bare.add(deepCopy(item, seen));
  else for (const name of Object.keys(source)) bare[name] = deepCopy(source[name], seen);
  return copy;
}
