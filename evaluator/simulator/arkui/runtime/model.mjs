// The newer state model: `@ObservedV2` with `@Trace`, `@Monitor` and `@Computed`.

import { Cell } from './cells.mjs';
import { Effect, untracked } from './reactive.mjs';

const CELLS = Symbol('traced');
const MONITORS = Symbol('monitors');

function cellOf(object, name) {
  if (!Object.prototype.hasOwnProperty.call(object, CELLS))
    Object.defineProperty(object, CELLS, { value: new Map() });
  const cells = object[CELLS];
  if (!cells.has(name)) cells.set(name, new Cell(undefined, { builtinOnly: true }));
  return cells.get(name);
}

/** `@Trace`: a property whose every change is seen, wherever the object lies. */
export function Trace(prototype, name) {
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return cellOf(this, name).get();
    },
    set(value) {
      cellOf(this, name).set(value);
    },
  });
}

/** `@Monitor('a.b')` on a method of a class. In structs the compiler lists them instead. */
export const Monitor =
  (...paths) =>
  (prototype, name) => {
    if (!Object.prototype.hasOwnProperty.call(prototype, MONITORS))
      Object.defineProperty(prototype, MONITORS, { value: [...(prototype[MONITORS] ?? [])] });
    prototype[MONITORS].push({ name, paths });
  };

/** `@Computed`: a getter whose value is the same until what it reads changes. */
export function Computed() {}

/** `@ObservedV2`: objects of the class run their monitors. */
export function ObservedV2(constructor) {
  return new Proxy(constructor, {
    construct(target, args, newTarget) {
      const object = Reflect.construct(target, args, newTarget);
      for (const { name, paths } of target.prototype[MONITORS] ?? []) monitor(object, name, paths);
      return object;
    },
  });
}

const valueAt = (object, path) => path.split('.').reduce((value, step) => value?.[step], object);

/** Call `object[method]` whenever a value at one of the paths has changed. */
function monitor(object, method, paths) {
  let before = null;
  return new Effect(() => {
    const now = paths.map((path) => valueAt(object, path));
    const old = before;
    before = now;
    if (!old) return;
    const dirty = paths.filter((path, at) => now[at] !== old[at]);
    if (!dirty.length) return;
    const value = (path = dirty[0]) => ({
      path,
      before: old[paths.indexOf(path)],
      now: now[paths.indexOf(path)],
    });
    untracked(() => object[method]({ dirty, value }));
  });
}

/** The monitors of a struct; `keep` is told how to end each. */
export function watchPaths(component, about, keep) {
  for (const [name, decorators] of Object.entries(about.methods)) {
    const paths = decorators.Monitor ?? decorators.SyncMonitor;
    if (!paths) continue;
    const effect = monitor(component, name, paths.flat());
    keep(() => effect.dispose());
  }
}
