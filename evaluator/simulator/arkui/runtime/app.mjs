// One running app: its pages, its state, and the questions a driver asks.

import { tellAreas } from './areas.mjs';
import { applyBindings } from './bindings.mjs';
import { behaviorOf, checkAttributes } from './components/registry.mjs';
import { NavigationKeeper } from './components/navigation-keeper.mjs';
import { Dialogs } from './dialogs.mjs';
import { fire } from './events.mjs';
import { Layout } from './layout.mjs';
import { Modules } from './modules.mjs';
import { applyModifier } from './modifiers.mjs';
import { Pages } from './pages.mjs';
import { flush } from './reactive.mjs';
import { Resources } from './resources.mjs';
import { Routes } from './routes.mjs';
import { Stage } from './stage.mjs';
import { LocalStorage, PersistentStorage, makeAppStorage } from './storage.mjs';
import { Stores } from './stores.mjs';
import { snapshot } from './snapshot.mjs';
import { Timers } from './timers.mjs';
import { Element } from './tree.mjs';
import { Ui } from './ui.mjs';
import { makeContext } from './kits/ui-context.mjs';

const MOST_ROUNDS = 50;

export class App {
  /** `folder` is an unpacked HAP, `dataFolder` the app's private storage. */
  constructor(folder, dataFolder) {
    this.unsupported = new Set();
    this.lines = [];
    this.crash = null;
    this.waiting = [];
    this.drawn = new Map();
    this.synthetics = new WeakMap();
    this.focused = null;
    this.held = null; // what a finger that does not let go has taken hold of
    this.hovered = []; // what the mouse is over
    this.stores = new Stores(dataFolder);
    this.timers = new Timers(this);
    this.resources = new Resources(`${folder}/resources`, (name) => this.notSimulated(name));
    this.appStorage = makeAppStorage();
    this.localStorage = new LocalStorage();
    LocalStorage.shared = this.localStorage;
    this.persistentStorage = new PersistentStorage(
      this.appStorage,
      this.stores.open('persistent-storage'),
    );
    this.layout = new Layout(this.resources, (element) => this.drawnIn(element));
    this.dialogs = new Dialogs(this);
    this.navigation = new NavigationKeeper();
    this.ui = new Ui(this);
    this.context = makeContext(this);
    this.pages = new Pages(this);
    this.modules = new Modules(folder, this);
    this.routes = new Routes(this);
    this.stage = new Stage(folder, this);
  }

  notSimulated(name) {
    this.unsupported.add(name);
  }

  log(line) {
    this.lines.push(line);
  }

  // --- what components ask for ---------------------------------------------

  behaviorOf(type) {
    return behaviorOf(type, (name) => this.notSimulated(name));
  }

  /** New arguments and attributes have arrived at an element. */
  applied(element) {
    element.app = this;
    applyModifier(element);
    checkAttributes(element, (name) => this.notSimulated(name));
    element.behavior.applied?.(element, this);
    if (element.option('scroller')) element.option('scroller').attach?.(element, this);
    else if (element.args[0]?.$isScroller) element.args[0].attach(element, this);
    applyBindings(element, this);
  }

  /** Run something when the page has been built. */
  later(action) {
    this.waiting.push(action);
  }

  invalidateLayout() {
    this.drawn.clear();
  }

  /** The elements drawn inside an element, in order. */
  drawnIn(element) {
    if (!this.drawn.has(element)) {
      const { behavior } = element;
      const children =
        behavior.children?.(element, this) ?? element.children.flatMap((child) => child.elements());
      const extra = this.overlayOf(element);
      this.drawn.set(element, [
        ...(behavior.isShown
          ? children.filter((child) => behavior.isShown(element, child))
          : children),
        ...extra,
      ]);
    }
    return this.drawn.get(element);
  }

  /** `.overlay(builder)` draws above the element it belongs to. */
  overlayOf(element) {
    const value = element.attribute('overlay');
    return typeof value === 'function' ? element.part('overlay', value).elements() : [];
  }

  /** An element of ours, such as a tab bar; the same one for the same owner and key. */
  synthetic(owner, key, type) {
    if (!this.synthetics.has(owner)) this.synthetics.set(owner, new Map());
    const made = this.synthetics.get(owner);
    if (!made.has(key)) {
      const element = new Element(type);
      element.app = this;
      element.behavior = this.behaviorOf(type);
      element.parent = owner instanceof Element ? owner : null;
      made.set(key, element);
    }
    return made.get(key);
  }

  isWithin(element, outer) {
    for (let at = element; at; at = at.around) if (at === outer) return true;
    return false;
  }

  focus(element) {
    if (this.focused === element) return;
    const before = this.focused;
    this.focused = element;
    if (before && !before.disposed) {
      before.call('onEditChange', false);
      before.call('onBlur');
    }
    element?.call('onEditChange', true);
    element?.call('onFocus');
  }

  // --- drawing -------------------------------------------------------------

  roots() {
    return [...this.pages.elements(), ...this.dialogs.elements()];
  }

  /** Bring the page in line with the state, until nothing changes any more. */
  settle() {
    for (let round = 0; ; round++) {
      flush();
      const due = this.waiting.splice(0);
      for (const action of due) action();
      this.invalidateLayout();
      const elements = this.all();
      flush();
      if (!this.waiting.length) return elements;
      if (round > MOST_ROUNDS) throw new Error('The page never comes to rest.');
    }
  }

  /** Every element that is drawn now, in paint order; each learns what it is drawn in. */
  all() {
    const found = [];
    const visit = (element, around) => {
      element.around = around;
      found.push(element);
      for (const child of this.drawnIn(element)) visit(child, element);
    };
    for (const root of this.roots()) visit(root, null);
    return found;
  }

  elementsOf(type) {
    return this.all().filter((element) => element.type === type);
  }

  /** The nodes of the page, laid out, after every handler that asks for sizes was told. */
  tree() {
    for (let round = 0; ; round++) {
      const elements = this.settle();
      const nodes = snapshot(this, this.roots());
      if (!tellAreas(elements) || round > MOST_ROUNDS) return nodes;
    }
  }

  // --- requests ------------------------------------------------------------

  start() {
    this.stage.start();
  }

  fire(uid, event, value) {
    const element = this.settle().find((each) => each.uid === uid);
    return element || event === 'release' ? fire(this, element, event, value) : false;
  }

  back() {
    const elements = this.settle();
    return this.dialogs.back() || this.navigation.back(elements) || this.pages.backKey();
  }
}
