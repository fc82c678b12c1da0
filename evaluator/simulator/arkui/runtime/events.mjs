// What a touch does: the component's own reaction and the handlers of the app.

import { DRAG_EVENTS } from './components/attributes.mjs';
import { untracked } from './reactive.mjs';

const TOUCH_DOWN = 0;
const TOUCH_UP = 1;

const isEnabled = (element) => {
  for (let at = element; at; at = at.around) if (at.attribute('enabled') === false) return false;
  return true;
};

/** The element and those it is drawn in, from the inside out. */
function outward(element) {
  const found = [];
  for (let at = element; at; at = at.around) found.push(at);
  return found;
}

/** Do what one driver event does to an element. */
export function fire(app, element, event, value) {
  const cover = app.dialogs.covering(element);
  if (cover) return untracked(() => cover.outside(cover));
  if (!isEnabled(element)) return false;
  return untracked(() => perform(app, element, event, value));
}

function perform(app, element, event, value) {
  switch (event) {
    case 'click':
      return click(app, element);
    case 'doubleClick':
      return doubleClick(app, element);
    case 'longClick':
      return longClick(app, element);
    case 'input':
      return input(app, element, value);
    case 'submit':
      return submit(app, element);
    case 'scroll':
      return scroll(app, element, value ?? [0, 0]);
    default:
      return app.notSimulated(`event ${event}`);
  }
}

const touchEvent = (element, type) => ({
  type,
  touches: [pointOf(element)],
  changedTouches: [pointOf(element)],
  timestamp: Date.now() * 1e6,
  source: 1,
  stopPropagation() {},
  preventDefault() {},
});

/** The middle of an element, in vp, as events report it. */
function pointOf(element) {
  const box = element.box ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const size = { x: (box.right - box.left) / 6, y: (box.bottom - box.top) / 6 };
  const place = { x: (box.left + box.right) / 6, y: (box.top + box.bottom) / 6 };
  return {
    id: 0,
    ...size,
    windowX: place.x,
    windowY: place.y,
    displayX: place.x,
    displayY: place.y,
    screenX: place.x,
    screenY: place.y,
  };
}

const clickEvent = (element) => ({
  ...pointOf(element),
  timestamp: Date.now() * 1e6,
  source: 1,
  preventDefault() {},
  target: { area: { width: 0, height: 0 } },
});

/** Gestures of one kind that an element carries. */
function gestures(element, kind) {
  const given = ['gesture', 'priorityGesture', 'parallelGesture']
    .map((name) => element.attribute(name))
    .filter(Boolean);
  return given.flatMap((gesture) => gesture.all()).filter((gesture) => gesture.kind === kind);
}

function click(app, element) {
  const path = outward(element);
  for (const each of path) {
    each.call('onTouch', touchEvent(each, TOUCH_DOWN));
    each.call('onTouch', touchEvent(each, TOUCH_UP));
  }
  if (app.focused && app.focused !== element && !element.behavior.input) app.focus(null);
  for (const each of path) {
    const taps = gestures(each, 'Tap').filter((gesture) => (gesture.options.count ?? 1) === 1);
    const menu = each.attributes.get('bindMenu');
    const reacts = each.behavior.click?.(each, app);
    const handles = typeof each.attribute('onClick') === 'function';
    if (handles) each.call('onClick', clickEvent(each));
    for (const tap of taps) tap.act(gestureEvent(each));
    if (menu && typeof menu[0] !== 'boolean') app.dialogs.menu(menu[0], each);
    if (reacts || handles || taps.length || menu) return true;
  }
  return false;
}

const gestureEvent = (element, more = {}) => ({
  repeat: false,
  fingerList: [pointOf(element)],
  offsetX: 0,
  offsetY: 0,
  scale: 1,
  angle: 0,
  speed: 0,
  timestamp: Date.now() * 1e6,
  source: 1,
  ...more,
});

function doubleClick(app, element) {
  for (const each of outward(element)) {
    const taps = gestures(each, 'Tap').filter((gesture) => gesture.options.count === 2);
    for (const tap of taps) tap.act(gestureEvent(each));
    if (taps.length) return true;
  }
  click(app, element);
  return click(app, element);
}

function longClick(app, element) {
  for (const each of outward(element)) {
    const presses = gestures(each, 'LongPress');
    for (const press of presses) press.act(gestureEvent(each));
    const menu = each.attributes.get('bindContextMenu');
    if (menu) {
      const [first, second] = menu;
      app.dialogs.menu(typeof first === 'boolean' ? second : first, each);
    }
    if (presses.length || menu) return true;
  }
  return click(app, element);
}

function input(app, element, value) {
  const field = outward(element).find((each) => each.behavior.input) ?? app.focused;
  if (!field?.behavior.input) return false;
  field.behavior.input(field, value ?? '', app);
  return true;
}

function submit(app, element) {
  const field = element.behavior.submit ? element : app.focused;
  field?.behavior.submit?.(field);
  return Boolean(field);
}

/** A finger that moved by `[dx, dy]` pixels: to the left and up is negative. */
function scroll(app, element, [dx, dy]) {
  for (const each of outward(element)) {
    if (DRAG_EVENTS.some((name) => each.has(name))) app.notSimulated(`${each.type} drag`);
    const swipes = [...gestures(each, 'Swipe'), ...gestures(each, 'Pan')].filter((gesture) =>
      gesture.takes(dx, dy),
    );
    for (const swipe of swipes)
      swipe.act(
        gestureEvent(each, {
          offsetX: dx / 3,
          offsetY: dy / 3,
          angle: (Math.atan2(dy, dx) * 180) / Math.PI,
          speed: 1000,
        }),
      );
    if (swipes.length) return true;
    if (each.behavior.scroll && each.behavior.scroll(each, [dx, dy], app) !== false) return true;
    if (each.type === 'Refresh' && dy > 0 && pull(each)) return true;
    if (each.state.range && move(app, each, dx, dy)) return true;
  }
  return false;
}

function pull(element) {
  if (typeof element.attribute('onRefreshing') !== 'function') return false;
  element.writers.get('refreshing')?.(true);
  element.call('onStateChange', 3);
  element.call('onRefreshing');
  return true;
}

/** Move the content of a scrollable; false if it was at its end already. */
export function move(app, element, dx, dy) {
  const { range } = element.state;
  const before = element.state.scroll ?? { x: 0, y: 0 };
  const after = { x: clamp(before.x - dx, range.x), y: clamp(before.y - dy, range.y) };
  if (after.x === before.x && after.y === before.y) return false;
  element.call('onScrollStart');
  element.state.scroll = after;
  const moved = { x: (after.x - before.x) / 3, y: (after.y - before.y) / 3 };
  element.call('onWillScroll', moved.y, 0, 0);
  element.call('onDidScroll', moved.y, 0);
  element.call('onScroll', moved.x, moved.y);
  const atStart = after.y === 0 && after.x === 0;
  const atEnd = after.y >= range.y && after.x >= range.x;
  if (atStart) element.call('onReachStart');
  if (atEnd) element.call('onReachEnd');
  if (atStart || atEnd) element.call('onScrollEdge', atStart ? 0 : 2);
  element.call('onScrollStop');
  element.call('onScrollEnd');
  return true;
}

const clamp = (value, most) => Math.min(most, Math.max(0, value));
