// A struct at run time: its variables by their decorators, and its life.

import { BridgeCell, Cell, CopyCell, ObjectCell } from './cells.mjs';
import { untracked } from './reactive.mjs';
import { watchPaths } from './model.mjs';

/** What the tree hands to a new component besides its parameters. */
export class Birth {
  constructor({ ui, slot, parent, params, references, trailing, localStorage }) {
    Object.assign(this, {
      ui,
      slot,
      parent,
      params: params ?? {},
      references: references ?? {},
      trailing,
      localStorage,
    });
  }

  has(name) {
    return (
      Object.prototype.hasOwnProperty.call(this.params, name) && this.params[name] !== undefined
    );
  }
}

const CELL = Symbol('cells');
const KINDS = [
  'State',
  'Prop',
  'Link',
  'ObjectLink',
  'Provide',
  'Consume',
  'StorageLink',
  'StorageProp',
  'LocalStorageLink',
  'LocalStorageProp',
  'BuilderParam',
  'Local',
  'Param',
  'Event',
  'Provider',
  'Consumer',
  'Env',
];

export class Component {
  constructor(birth) {
    this.$birth = birth;
    this.$provided = new Map();
    this.$release = [];
    Object.defineProperty(this, CELL, { value: new Map() });
    for (const name of ['$birth', '$provided', '$release'])
      Object.defineProperty(this, name, { enumerable: false });
    const about = this.constructor.$about;
    for (const [name, decorators] of Object.entries(about.methods)) {
      if (decorators.LocalBuilder) this[name] = this[name].bind(this);
    }
    untracked(() => this.$declare(about, birth));
  }

  $declare(about, birth) {
    const initial = this.$initial();
    const late = [];
    for (const [name, decorators] of Object.entries(about.variables)) {
      const kind = KINDS.find((each) => decorators[each]) ?? null;
      const fallback = initial[name] ?? (() => undefined);
      const cell = makeCell(this, { name, kind, decorators, fallback, birth });
      if (cell) this.$expose(name, cell);
      else
        this[name] = kind === 'Event' && birth.has(name) ? birth.params[name] : fallback.call(this);
      if (kind === 'Provide' || kind === 'Provider') this.$provide(name, decorators[kind], cell);
      if (
        birth.has(name) &&
        (!kind || kind === 'State' || kind === 'Provide' || kind === 'BuilderParam')
      )
        late.push(name);
    }
    for (const name of late) this[name] = birth.params[name];
    if (about.controller && birth.ui.app.dialogController)
      this[about.controller] = birth.ui.app.dialogController;
    if (birth.trailing) this.$fillBuilderParam(about, birth.trailing);
    for (const [name, decorators] of Object.entries(about.variables))
      if (decorators.Watch) this.$watch(name, decorators.Watch[0]);
    watchPaths(this, about, (release) => this.$release.push(release));
  }

  $expose(name, cell) {
    this[CELL].set(name, cell);
    Object.defineProperty(this, name, {
      enumerable: true,
      configurable: true,
      get: () => cell.get(),
      set: (value) => cell.set(value),
    });
  }

  $provide(name, args, cell) {
    const alias = typeof args[0] === 'object' ? args[0]?.allowOverride : args[0];
    for (const key of [alias, name]) if (key) this.$provided.set(key, cell);
  }

  /** The cell that the nearest ancestor provides under a name. */
  $lookUp(name) {
    for (let at = this.$birth.parent; at; at = at.$birth.parent)
      if (at.$provided.has(name)) return at.$provided.get(name);
    return null;
  }

  $fillBuilderParam(about, trailing) {
    const names = Object.entries(about.variables)
      .filter(([, decorators]) => decorators.BuilderParam)
      .map(([name]) => name);
    if (names.length === 1) this[names[0]] = trailing;
  }

  $watch(name, method) {
    const watcher = () => this[method]?.(name);
    const { watchers } = this[CELL].get(name) ?? {};
    watchers?.add(watcher);
    this.$release.push(() => watchers?.delete(watcher));
  }

  /** New parameters from the parent: only copies, object links and V2 parameters follow. */
  $follow(params) {
    this.$birth.params = params;
    for (const [name, decorators] of Object.entries(this.constructor.$about.variables)) {
      if (!Object.prototype.hasOwnProperty.call(params, name)) continue;
      const cell = this[CELL].get(name);
      if (decorators.Prop || decorators.ObjectLink) cell.follow(params[name]);
      else if (decorators.Param && !decorators.Once) cell.set(params[name]);
    }
  }

  $dispose() {
    untracked(() => this.aboutToDisappear?.());
    for (const release of this.$release) release();
    for (const cell of this[CELL].values()) if (cell.owner === this) cell.release();
  }

  static $isComponent = true;

  getUIContext() {
    return this.$birth.ui.context;
  }
  getUniqueId() {
    return this.$birth.slot.uid;
  }
  queryNavDestinationInfo() {
    return this.$birth.ui.navigation.destinationOf(this.$birth.slot);
  }
  build() {}
}

/** The cell of one variable; null for what is an ordinary property. */
function makeCell(component, { name, kind, decorators, fallback, birth }) {
  const own = (cell) => Object.assign(cell, { owner: component });
  const first = () => (birth.has(name) ? birth.params[name] : fallback.call(component));
  const { ui } = birth;
  const local = () => birth.localStorage ?? ui.localStorage;
  switch (kind) {
    case 'State':
    case 'Provide':
      return own(new Cell(fallback.call(component)));
    case 'Prop':
      return own(new CopyCell(first()));
    case 'ObjectLink':
      return own(new ObjectCell(first()));
    case 'Link':
      return linkedCell(name, birth) ?? own(new Cell(first()));
    case 'Consume':
    case 'Consumer':
      return consumed(component, { name, kind, decorators, fallback, own });
    case 'StorageLink':
      return ui.appStorage.cell(decorators.StorageLink[0], fallback.call(component));
    case 'StorageProp':
      return own(
        mirror(ui.appStorage.cell(decorators.StorageProp[0], fallback.call(component)), component),
      );
    case 'LocalStorageLink':
      return local().cell(decorators.LocalStorageLink[0], fallback.call(component));
    case 'LocalStorageProp':
      return own(
        mirror(local().cell(decorators.LocalStorageProp[0], fallback.call(component)), component),
      );
    case 'Local':
    case 'Provider':
      return own(new Cell(fallback.call(component), { builtinOnly: true }));
    case 'Param':
      return own(new Cell(first(), { builtinOnly: true }));
    case 'Env':
      ui.notSimulated('@Env');
      return own(new Cell(undefined));
    default:
      return null;
  }
}

/** The parent's own variable, so that both see every change. */
function linkedCell(name, birth) {
  const reference = birth.references[name]?.();
  if (!reference) return null;
  const [owner, property] = reference;
  const cell = owner?.[CELL]?.get(property);
  return (
    cell ??
    new BridgeCell(
      () => birth.references[name]()[0][property],
      (value) => {
        birth.references[name]()[0][property] = value;
      },
    )
  );
}

function consumed(component, { name, kind, decorators, fallback, own }) {
  const key = decorators[kind][0] ?? name;
  const cell = component.$lookUp(key);
  if (cell) return cell;
  const value = fallback.call(component);
  if (value === undefined && kind === 'Consume')
    throw new Error(
      `missing @Provide property with name ${key}. Fail to resolve @Consume(${key}).`,
    );
  return own(new Cell(value, { builtinOnly: kind === 'Consumer' }));
}

/** A copy that follows a cell of a storage. */
function mirror(source, component) {
  const copy = new CopyCell(source.value);
  const follow = () => copy.follow(source.value);
  source.watchers.add(follow);
  component.$release.push(() => source.watchers.delete(follow));
  return copy;
}
