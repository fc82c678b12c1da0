// Tabs and Swiper: several pages of which one is shown.

import { builderOf } from '../tree.mjs';
import { vp } from '../units.mjs';

const STYLES = [
  'board',
  'iconStyle',
  'id',
  'indicator',
  'labelStyle',
  'layoutMode',
  'padding',
  'selectedMode',
  'symmetricExtensible',
  'verticalAlign',
];
const AUTO_PLAY_MILLISECONDS = 3000;

const pagesOf = (element) => element.children.flatMap((child) => child.elements());
const indexOf = (element) =>
  Math.min(element.state.index ?? 0, Math.max(0, pagesOf(element).length - 1));

/** Show another page and tell the app. */
function turnTo(element, index, app) {
  const count = pagesOf(element).length;
  if (index < 0 || index >= count || index === indexOf(element)) return;
  element.call('onAnimationStart', indexOf(element), index, {});
  element.state.index = index;
  element.writers.get('index')?.(index);
  fillPage(element, app);
  element.call('onChange', index);
  element.call('onSelected', index);
  element.call('onAnimationEnd', index, {});
  app.invalidateLayout();
}

/** The content of a tab is built when it is first shown. */
function fillPage(element) {
  const page = pagesOf(element)[indexOf(element)];
  if (!page?.fill) return;
  const { fill } = page;
  page.fill = null;
  fill();
  page.call('onWillShow');
}

const given = (element) =>
  element.type === 'Tabs' ? element.option('index') : element.attribute('index');

function applied(element) {
  const index = given(element);
  if (index !== undefined && index !== element.state.given) {
    element.state.given = index;
    element.state.index = Number(index);
  }
  (element.option('controller') ?? element.args[0])?.attach?.(element);
}

/** A Swiper that turns by itself. */
function autoPlay(element, app) {
  const wanted = element.attribute('autoPlay') === true;
  const { state } = element;
  if (wanted && state.timer === undefined) {
    const pause = element.attribute('interval') ?? AUTO_PLAY_MILLISECONDS;
    state.timer = app.timers.every(() => new PageController().attach(element).showNext(), pause);
    element.cleanups.push(() => app.timers.stop(state.timer));
  }
  if (!wanted && state.timer !== undefined) {
    app.timers.stop(state.timer);
    state.timer = undefined;
  }
}

/** The labels of a Tabs: one `TabBar` element with an item for each page. */
function barOf(element, app) {
  const bar = app.synthetic(element, 'TabBar', 'TabBar');
  bar.items = pagesOf(element).map((page, index) => {
    const item = app.synthetic(page, 'bar', 'TabBarItem');
    item.tab = { element, index };
    item.label = labelOf(page, item);
    return item;
  });
  return bar;
}

function labelOf(page, item) {
  const label = page.attribute('tabBar');
  const builder = builderOf(label);
  if (builder) {
    item.content = page.part('tabBar', builder).elements();
    return undefined;
  }
  item.content = [];
  return label?.$isResource || typeof label !== 'object' ? label : (label?.text ?? label?.content);
}

const barSize = (element) => {
  const value = element.attribute(element.attribute('vertical') ? 'barWidth' : 'barHeight');
  return typeof value === 'number' ? vp(value) : vp(56);
};

const tabs = {
  layout: 'framed',
  clips: true,
  scrollable: true,
  fills: true,
  handles: [
    'onChange',
    'onSelected',
    'onTabBarClick',
    'onContentWillChange',
    'onAnimationStart',
    'onAnimationEnd',
    'onGestureSwipe',
    'onUnselected',
    'onContentDidScroll',
  ],
  applied,
  children(element, app) {
    fillPage(element, app);
    return [barOf(element, app), ...pagesOf(element)];
  },
  isShown: (element, child) =>
    child.type === 'TabBar' || pagesOf(element)[indexOf(element)] === child,
  frame(element) {
    const isEnd = element.option('barPosition') === 1;
    const side = element.attribute('vertical')
      ? isEnd
        ? 'right'
        : 'left'
      : isEnd
        ? 'bottom'
        : 'top';
    const [bar] = element.app.drawnIn(element);
    return {
      bars: [{ child: bar, side, size: barSize(element) }],
      content: [pagesOf(element)[indexOf(element)]].filter(Boolean),
    };
  },
  scroll(element, [dx, dy], app) {
    const along = element.attribute('vertical') ? dy : dx;
    if (element.attribute('scrollable') === false || Math.abs(along) < 1) return false;
    turnTo(element, indexOf(element) + (along < 0 ? 1 : -1), app);
    return true;
  },
};

const swiper = {
  layout: 'stack',
  fillsWidth: true,
  clips: true,
  scrollable: true,
  handles: [
    'onChange',
    'onSelected',
    'onUnselected',
    'onAnimationStart',
    'onAnimationEnd',
    'onGestureSwipe',
    'index',
    'cachedCount',
    'onContentDidScroll',
    'onContentWillScroll',
  ],
  applied(element, app) {
    applied(element);
    autoPlay(element, app);
  },
  children: (element) => pagesOf(element),
  isShown: (element, child) => pagesOf(element)[indexOf(element)] === child,
  scroll(element, [dx, dy], app) {
    const along = element.attribute('vertical') ? dy : dx;
    if (element.attribute('disableSwipe') === true || Math.abs(along) < 1) return false;
    const count = pagesOf(element).length;
    const next = indexOf(element) + (along < 0 ? 1 : -1);
    turnTo(element, element.attribute('loop') === false ? next : (next + count) % count, app);
    return true;
  },
};

export const paging = {
  Tabs: tabs,
  TabContent: {
    layout: 'stack',
    fills: true,
    fillsLate: true,
    handles: ['tabBar', 'onWillShow', 'onWillHide'],
  },
  TabBar: { layout: 'row', children: (element) => element.items ?? [], synthetic: true },
  TabBarItem: {
    layout: 'stack',
    weight: 1,
    synthetic: true,
    clickable: true,
    children: (element) => element.content ?? [],
    text: (element, resources) =>
      element.label === undefined ? undefined : resources.text(element.label),
    selected: (element) => indexOf(element.tab.element) === element.tab.index,
    click(element, app) {
      const { element: owner, index } = element.tab;
      owner.call('onTabBarClick', index);
      const allowed = owner.call('onContentWillChange', indexOf(owner), index);
      if (allowed !== false) turnTo(owner, index, app);
      return true;
    },
  },
  Swiper: swiper,
};

/** The label of a tab as SubTabBarStyle and BottomTabBarStyle give it. */
export class TabBarStyle {
  constructor(text) {
    this.text = text;
    for (const name of STYLES) this[name] = () => this;
  }

  static of(...values) {
    return new this(...values);
  }
}

/** TabsController and SwiperController. */
export class PageController {
  attach(element) {
    this.element = element;
    return this;
  }
  changeIndex(index) {
    if (this.element) turnTo(this.element, index, this.element.app);
  }
  showNext() {
    this.step(1);
  }
  showPrevious() {
    this.step(-1);
  }
  preloadItems() {
    return Promise.resolve();
  }
  finishAnimation(done) {
    done?.();
  }
  setTabBarTranslate() {}
  setTabBarOpacity() {}

  step(by) {
    if (!this.element) return;
    const count = pagesOf(this.element).length;
    const next = indexOf(this.element) + by;
    this.changeIndex(this.element.attribute('loop') === false ? next : (next + count) % count);
  }
}
