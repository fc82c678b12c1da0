// Navigation, NavDestination and the NavPathStack between them.

import { Dependency } from '../reactive.mjs';
import { DetachedSlot, builderOf } from '../tree.mjs';
import { opaque } from '../observed.mjs';
import { vp } from '../units.mjs';

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
    if (before !== after) this.interception?.didShow?.(before?.name ?? 'navBar', after?.name ?? 'navBar', 0, true);
    this.changed.notify();
  }

  pushPath(info) { this.change(() => this.entries.push(entryOf(info))); }
  pushPathByName(name, param, onPop) {
    this.pushPath({ name, param, onPop: typeof onPop === 'function' ? onPop : undefined });
  }
  async pushDestination(info) { this.pushPath(info); }
  async pushDestinationByName(name, param, onPop) { this.pushPathByName(name, param, onPop); }
  replacePath(info) {
    this.change(() => {
      this.entries.pop();
      this.entries.push(entryOf(info));
    });
  }
  replacePathByName(name, param) { this.replacePath({ name, param }); }
  async replaceDestination(info) { this.replacePath(info); }

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

  popToIndex(index) { this.change(() => this.entries.splice(index + 1)); }
  moveToTop(name) {
    const index = this.entries.findLastIndex((entry) => entry.name === name);
    if (index >= 0) this.change(() => this.entries.push(...this.entries.splice(index, 1)));
    return index;
  }
  moveIndexToTop(index) { this.change(() => this.entries.push(...this.entries.splice(index, 1))); }
  clear() { this.change(() => this.entries.splice(0)); }
  removeByName(name) {
    const before = this.entries.length;
    this.change(() => { this.entries = this.entries.filter((entry) => entry.name !== name); });
    return before - this.entries.length;
  }
  removeByIndexes(indexes) {
    const before = this.entries.length;
    this.change(() => { this.entries = this.entries.filter((_, index) => !indexes.includes(index)); });
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
  getParamByName(name) { return this.entries.filter((entry) => entry.name === name).map((entry) => entry.param); }
  getParamByIndex(index) { return this.entries[index]?.param; }
  getIndexByName(name) { return this.entries.flatMap((entry, index) => (entry.name === name ? [index] : [])); }
  getPathStack() { return this.entries.map(infoOf); }
  getParent() { return null; }
  disableAnimation() {}
  setInterception(interception) { this.interception = interception; }
}
opaque(NavPathStack);

const entryOf = ({ name, param, onPop }) => ({ name, param, onPop });
const infoOf = ({ name, param, onPop }) => ({ name, param, onPop });

/** The stack that a Navigation shows; one of its own if the app gave none. */
const stackOf = (element) => (element.args[0] instanceof NavPathStack ? element.args[0] : (element.state.stack ??= new NavPathStack()));

/** The page of a stack entry, built when it is first shown. */
function pageOf(element, entry, app) {
  if (!entry.slot || entry.slot.disposed) {
    const builder = builderOf(element.attribute('navDestination')) ?? app.routes.builderOf(entry.name);
    entry.slot = new DetachedSlot(element);
    entry.slot.entry = { stack: stackOf(element), entry };
    if (builder) entry.slot.build(() => builder(entry.name, entry.param));
    element.cleanups.push(() => entry.slot.dispose());
    element.state.shownEntries = [...(element.state.shownEntries ?? []), entry];
  }
  return entry.slot.elements().find((each) => each.type === 'NavDestination') ?? entry.slot.elements()[0];
}

function dropLeft(element, stack) {
  const shown = element.state.shownEntries ?? [];
  element.state.shownEntries = shown.filter((entry) => stack.entries.includes(entry));
  for (const entry of shown) if (!stack.entries.includes(entry)) entry.slot?.dispose();
}

const bar = (element, app) => {
  const title = element.attribute('title');
  const hidden = element.attribute('hideTitleBar') === true || (title === undefined && element.type === 'Navigation' && !element.has('menus'));
  return hidden ? [] : [app.synthetic(element, 'TitleBar', 'TitleBar')];
};

const own = (element) => element.children.flatMap((child) => child.elements());

const FRAME_EVENTS = ['title', 'menus', 'toolbarConfiguration', 'onReady', 'onShown', 'onHidden', 'onBackPressed', 'onWillAppear', 'onWillDisappear', 'onWillShow',
  'onWillHide', 'onResult', 'onActive', 'onInactive', 'onTitleModeChange', 'onNavBarStateChange', 'onNavigationModeChange', 'navDestination', 'toolBar', 'subTitle'];

export const navigation = {
  Navigation: {
    layout: 'framed',
    fills: true,
    handles: FRAME_EVENTS,
    children(element, app) {
      const stack = stackOf(element);
      dropLeft(element, stack);
      const pages = stack.entries.map((entry) => pageOf(element, entry, app)).filter(Boolean);
      app.navigation.arrived(element, pages);
      const opaqueAt = pages.findLastIndex((page) => page.attribute('mode') !== 1);
      const shown = pages.slice(Math.max(0, opaqueAt));
      return opaqueAt >= 0 ? shown : [...bar(element, app), ...own(element), ...tools(element), ...shown];
    },
    frame(element) {
      const drawn = element.app.drawnIn(element);
      const title = drawn.filter((each) => each.type === 'TitleBar');
      const toolbar = drawn.filter((each) => tools(element).includes(each));
      return {
        bars: [...title.map((child) => ({ child, side: 'top', size: vp(56) })), ...toolbar.map((child) => ({ child, side: 'bottom', size: vp(56) }))],
        content: drawn.filter((each) => !title.includes(each) && !toolbar.includes(each)),
      };
    },
  },
  NavDestination: {
    layout: 'framed',
    fills: true,
    handles: FRAME_EVENTS,
    children: (element, app) => [...bar(element, app), ...own(element)],
    frame(element) {
      const drawn = element.app.drawnIn(element);
      return { bars: drawn.filter((each) => each.type === 'TitleBar').map((child) => ({ child, side: 'top', size: vp(56) })), content: drawn.filter((each) => each.type !== 'TitleBar') };
    },
  },
  TitleBar: {
    layout: 'row',
    synthetic: true,
    children(element, app) {
      const { parent } = element;
      const title = parent.attribute('title');
      const builder = builderOf(title);
      const back = parent.type === 'NavDestination' && parent.attribute('hideBackButton') !== true ? [app.synthetic(parent, 'back', 'BackButton')] : [];
      const items = menuItems(parent, app);
      if (builder) return [...back, ...parent.part('title', builder).elements(), ...items];
      const text = app.synthetic(parent, 'titleText', 'Text');
      text.args = [title?.main ?? title ?? ''];
      return [...back, text, ...items];
    },
  },
  BackButton: {
    layout: 'leaf',
    synthetic: true,
    clickable: true,
    description: () => 'Back',
    natural: () => ({ width: vp(40), height: vp(40) }),
    click: (_element, app) => app.back(),
  },
  MenuAction: {
    layout: 'leaf',
    synthetic: true,
    clickable: true,
    text: (element, resources) => resources.text(element.item.value),
    click: (element) => (element.item.action?.(), true),
  },
};

function menuItems(parent, app) {
  const menus = parent.attribute('menus');
  const builder = builderOf(menus);
  if (builder) return parent.part('menus', builder).elements();
  return (Array.isArray(menus) ? menus : []).map((item, index) => {
    const action = app.synthetic(parent, `menu${index}`, 'MenuAction');
    action.item = item;
    return action;
  });
}

function tools(element) {
  const builder = builderOf(element.attribute('toolbarConfiguration'));
  if (builder) return element.part('toolbar', builder).elements();
  const items = element.attribute('toolbarConfiguration');
  if (!Array.isArray(items)) return [];
  return items.map((item, index) => {
    const action = element.app.synthetic(element, `tool${index}`, 'MenuAction');
    action.item = item;
    return action;
  });
}

/** Life-cycle callbacks and the back key for every Navigation of the app. */
export class NavigationKeeper {
  constructor() {
    this.tops = new Map(); // Navigation element -> its top page
  }

  /** The pages of a Navigation as they are drawn now; tells those that came or went. */
  arrived(element, pages) {
    for (const page of pages) {
      if (page.state.ready) continue;
      page.state.ready = true;
      const place = placeOf(page);
      page.call('onWillAppear');
      page.call('onReady', contextOf(place));
    }
    const before = this.tops.get(element);
    const top = pages.at(-1);
    if (before === top) return;
    this.tops.set(element, top);
    before?.call('onHidden');
    top?.call('onShown');
  }

  /** Leave the top page of the innermost Navigation that has one. */
  back(elements) {
    for (const element of elements.filter((each) => each.type === 'Navigation').reverse()) {
      const stack = stackOf(element);
      if (!stack.entries.length) continue;
      const top = this.tops.get(element);
      if (top?.call('onBackPressed') === true) return true;
      stack.pop();
      return true;
    }
    return false;
  }

  destinationOf(slot) {
    const place = placeOf(slot);
    if (!place) return undefined;
    return { name: place.entry.name, index: place.stack.entries.indexOf(place.entry), param: place.entry.param, navDestinationId: '', state: 0 };
  }

  pathStackOf(slot) { return placeOf(slot)?.stack; }
}

function placeOf(slot) {
  for (let at = slot; at; at = at.parent) if (at.entry) return at.entry;
  return null;
}

const contextOf = (place) => ({
  pathInfo: place ? infoOf(place.entry) : { name: '', param: undefined },
  pathStack: place?.stack,
  navDestinationId: '',
  getConfigInRouteMap: () => undefined,
});
