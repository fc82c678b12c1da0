// Navigation, NavDestination and the bars around them.

import { DetachedSlot, builderOf } from '../tree.mjs';
import { stackOf } from './nav-path-stack.mjs';
import { vp } from '../units.mjs';

/** The page of a stack entry, built when it is first shown. */
function pageOf(element, entry, app) {
  if (!entry.slot || entry.slot.disposed) {
    const builder =
      builderOf(element.attribute('navDestination')) ?? app.routes.builderOf(entry.name);
    entry.slot = new DetachedSlot(element);
    entry.slot.entry = { stack: stackOf(element), entry };
    if (builder) entry.slot.build(() => builder(entry.name, entry.param));
    element.cleanups.push(() => entry.slot.dispose());
    element.state.shownEntries = [...(element.state.shownEntries ?? []), entry];
  }
  return (
    entry.slot.elements().find((each) => each.type === 'NavDestination') ?? entry.slot.elements()[0]
  );
}

function dropLeft(element, stack) {
  const shown = element.state.shownEntries ?? [];
  element.state.shownEntries = shown.filter((entry) => stack.entries.includes(entry));
  for (const entry of shown) if (!stack.entries.includes(entry)) entry.slot?.dispose();
}

const bar = (element, app) => {
  const title = element.attribute('title');
  const hidden =
    element.attribute('hideTitleBar') === true ||
    (title === undefined && element.type === 'Navigation' && !element.has('menus'));
  return hidden ? [] : [app.synthetic(element, 'TitleBar', 'TitleBar')];
};

const own = (element) => element.children.flatMap((child) => child.elements());

const FRAME_EVENTS = [
  'title',
  'menus',
  'toolbarConfiguration',
  'onReady',
  'onShown',
  'onHidden',
  'onBackPressed',
  'onWillAppear',
  'onWillDisappear',
  'onWillShow',
  'onWillHide',
  'onResult',
  'onActive',
  'onInactive',
  'onTitleModeChange',
  'onNavBarStateChange',
  'onNavigationModeChange',
  'navDestination',
  'toolBar',
  'subTitle',
];

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
      return opaqueAt >= 0
        ? shown
        : [...bar(element, app), ...own(element), ...tools(element), ...shown];
    },
    frame(element) {
      const drawn = element.app.drawnIn(element);
      const title = drawn.filter((each) => each.type === 'TitleBar');
      const toolbar = drawn.filter((each) => tools(element).includes(each));
      return {
        bars: [
          ...title.map((child) => ({ child, side: 'top', size: vp(56) })),
          ...toolbar.map((child) => ({ child, side: 'bottom', size: vp(56) })),
        ],
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
      return {
        bars: drawn
          .filter((each) => each.type === 'TitleBar')
          .map((child) => ({ child, side: 'top', size: vp(56) })),
        content: drawn.filter((each) => each.type !== 'TitleBar'),
      };
    },
  },
  TitleBar: {
    layout: 'row',
    synthetic: true,
    children(element, app) {
      const { parent } = element;
      const title = parent.attribute('title');
      const builder = builderOf(title);
      const back =
        parent.type === 'NavDestination' && parent.attribute('hideBackButton') !== true
          ? [app.synthetic(parent, 'back', 'BackButton')]
          : [];
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
