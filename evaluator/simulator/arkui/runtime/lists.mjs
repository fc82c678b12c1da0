// ForEach, LazyForEach and Repeat: one group of slots for each item, found again by key.

import { Dependency, untracked } from './reactive.mjs';
import { Slot } from './tree.mjs';
import { Cell } from './cells.mjs';

/** Bring the groups of `slot` in line with `items`; a group whose key stays is kept as it is. */
function reconcile(slot, items, { keyOf, make, keep }) {
  const old = new Map(slot.children.map((child) => [child.key, child]));
  const next = [];
  const seen = new Set();
  items.forEach((item, index) => {
    const key = keyOf(item, index);
    if (seen.has(key)) return; // as in ArkUI, of equal keys only the first is shown
    seen.add(key);
    const known = old.get(key);
    old.delete(key);
    if (known) keep?.(known, item, index);
    next.push(known ?? { key, item, index });
  });
  for (const child of old.values()) child.dispose();
  slot.children = [];
  for (const entry of next) {
    if (entry instanceof Slot) slot.children.push(entry);
    else slot.build(() => group(entry.key, (child) => make(child, entry.item, entry.index)));
  }
}

function group(key, action) {
  const child = new Slot('group');
  child.key = key;
  child.build(() => action(child));
}

/** The handler that `.onMove(...)` gives a list of rows, read anew with each change. */
function followMoves(slot, attributes) {
  if (!attributes) return;
  slot.effect(() => {
    slot.onMove = attributes().find(([name]) => name === 'onMove')?.[1][0];
  });
}

export function forEach(list, item, key, attributes) {
  const slot = new Slot('group');
  followMoves(slot, attributes);
  const keyOf = key ?? ((value, index) => `${index}__${JSON.stringify(value)}`);
  slot.effect(() => {
    const items = list();
    const keyed = Array.from(items ?? [], (value, index) => [value, String(keyOf(value, index))]);
    untracked(() =>
      reconcile(slot, keyed, {
        keyOf: ([, itemKey]) => itemKey,
        make: (_child, [value], index) => item(value, index),
      }),
    );
  });
}

export function lazyForEach(source, item, key, attributes) {
  const slot = new Slot('group');
  followMoves(slot, attributes);
  const reload = new Dependency();
  const heard = () => reload.notify();
  const listener = {};
  for (const name of [
    'onDataReloaded',
    'onDataAdd',
    'onDataAdded',
    'onDataMove',
    'onDataMoved',
    'onDataDelete',
    'onDataDeleted',
    'onDataChange',
    'onDataChanged',
    'onDatasetChange',
  ])
    listener[name] = heard;
  let data = null;
  slot.effect(() => {
    reload.track();
    const next = source();
    untracked(() => {
      if (next !== data) {
        data?.unregisterDataChangeListener?.(listener);
        data = next;
        data.registerDataChangeListener(listener);
      }
      const values = Array.from({ length: data.totalCount() }, (_, index) => data.getData(index));
      reconcile(slot, values, {
        keyOf: (value, index) =>
          String(key ? key(value, index) : `${index}__${JSON.stringify(value)}`),
        make: (_child, value, index) => item(value, index),
      });
    });
  });
  slot.cleanups.push(() => data?.unregisterDataChangeListener?.(listener));
}

/** Repeat: items and indices are live, so a kept group shows the new ones. */
export function repeat(list, parts) {
  const given = (name) => parts.find(([each]) => each === name)?.[1];
  const slot = new Slot('group');
  slot.onMove = given('onMove')?.[0];
  const each = given('each')?.[0];
  const key = given('key')?.[0];
  const templateOf = given('templateId')?.[0];
  const templates = new Map(
    parts.filter(([name]) => name === 'template').map(([, values]) => [values[0], values[1]]),
  );
  slot.effect(() => {
    const items = Array.from(list() ?? []);
    const keys = items.map((value, index) => String(key ? key(value, index) : index));
    untracked(() =>
      reconcile(slot, items, {
        keyOf: (_value, index) => keys[index],
        keep: (child, value, index) => {
          child.live.item.set(value);
          child.live.index.set(index);
        },
        make: (child, value, index) => {
          const live = { item: new Cell(value, { builtinOnly: true }), index: new Cell(index) };
          child.live = live;
          const build = templates.get(templateOf?.(value, index)) ?? each;
          build?.({
            get item() {
              return live.item.get();
            },
            get index() {
              return live.index.get();
            },
          });
        },
      }),
    );
  });
}
