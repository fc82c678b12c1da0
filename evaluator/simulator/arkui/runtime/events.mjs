// What a touch does: the component's own reaction and the handlers of the app.

import { carry, grab, release } from './dragging.mjs';
import { enums } from './enums.mjs';
import { hover, press, turnWheel } from './mouse.mjs';
import { untracked } from './reactive.mjs';
import { pinch } from './several.mjs';

export const SOURCE = { mouse: 1, touch: 2 };
const TOUCH_DOWN = 0;
const TOUCH_UP = 1;
const TOUCH_MOVE = 2;
const PIXELS = 3; // to a vp

let source = SOURCE.touch;

/** Let `act` happen as the doing of a mouse, for one. */
export function fromSource(kind, act) {
  const before = source;
  source = kind;
  try {
    return act();
  } finally {
    source = before;
  }
}

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

/** Those of them that take part in what happens. */
export const enabledOutward = (element) => outward(element).filter(isEnabled);

// What goes on under a finger or a pointer that only passes by.
const PASSING = { carry, hover };

/** Do what one driver event does to an element. */
export function fire(app, element, event, value) {
  if (event === 'release') return untracked(() => release(app));
  const passing = PASSING[event];
  if (passing)
    return untracked(() => !app.dialogs.covering(element) && passing(app, element, value));
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
      return swipe(app, element, value ?? [0, 0]);
    case 'grab':
      return grab(app, element, value);
    case 'pinch':
      return pinch(app, element, value);
    case 'wheel':
      return turnWheel(app, element, value);
    case 'mouse':
      return press(app, element, value, () => MOUSE[value[0]]?.(app, element));
    default:
      return app.notSimulated(`event ${event}`);
  }
}

/** A touch of an element at a point of the screen, or in its middle. */
export const touchAt = (element, type, x, y) => ({
  type,
  touches: [pointAt(element, x, y)],
  changedTouches: [pointAt(element, x, y)],
  timestamp: Date.now() * 1e6,
  source,
  stopPropagation() {},
  preventDefault() {},
});

/** A point of the screen in vp, as events of an element report it; its middle if none is given. */
export function pointAt(element, x, y) {
  const box = element.box ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const left = x ?? (box.left + box.right) / 2;
  const top = y ?? (box.top + box.bottom) / 2;
  const place = { x: left / PIXELS, y: top / PIXELS };
  return {
    id: 0,
    x: (left - box.left) / PIXELS,
    y: (top - box.top) / PIXELS,
    windowX: place.x,
    windowY: place.y,
    displayX: place.x,
    displayY: place.y,
    screenX: place.x,
    screenY: place.y,
  };
}

const clickEvent = (element) => ({
  ...pointAt(element),
  timestamp: Date.now() * 1e6,
  source,
  preventDefault() {},
  target: { area: { width: 0, height: 0 } },
});

/** Gestures of one kind that an element carries and that many fingers can begin. */
export function gesturesOf(element, kind, fingers = 1) {
  const given = ['gesture', 'priorityGesture', 'parallelGesture']
    .map((name) => element.attribute(name))
    .filter(Boolean);
  return given
    .flatMap((gesture) => gesture.offered())
    .filter((gesture) => gesture.kind === kind && gesture.fingers <= fingers);
}

function click(app, element) {
  const path = outward(element);
  for (const each of path) {
    each.call('onTouch', touchAt(each, TOUCH_DOWN));
    each.call('onTouch', touchAt(each, TOUCH_UP));
  }
  if (app.focused && app.focused !== element && !element.behavior.input) app.focus(null);
  for (const each of path) {
    const taps = gesturesOf(each, 'Tap').filter((gesture) => (gesture.options.count ?? 1) === 1);
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

export const gestureEvent = (element, more = {}) => ({
  repeat: false,
  fingerList: [pointAt(element)],
  offsetX: 0,
  offsetY: 0,
  scale: 1,
  angle: 0,
  speed: 0,
  timestamp: Date.now() * 1e6,
  source,
  ...more,
});

function doubleClick(app, element) {
  for (const each of outward(element)) {
    const taps = gesturesOf(each, 'Tap').filter((gesture) => gesture.options.count === 2);
    for (const tap of taps) tap.act(gestureEvent(each));
    if (taps.length) return true;
  }
  click(app, element);
  return click(app, element);
}

function longClick(app, element) {
  for (const each of outward(element)) {
    const presses = gesturesOf(each, 'LongPress');
    for (const press of presses) press.act(gestureEvent(each));
    const given = each.attributes.get('bindContextMenu');
    const menu = given?.[1] === enums.ResponseType.RightClick ? undefined : given;
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

/** What a button of the mouse does where a finger would do it. */
const MOUSE = { left: click, leftTwice: doubleClick, leftLong: longClick };

/** A finger that touches at `[x, y]`, moves by `[dx, dy]` pixels at once, and lets go. */
function swipe(app, element, [dx, dy, x, y]) {
  const tell = (type, left, top) => {
    for (const each of outward(element)) each.call('onTouch', touchAt(each, type, left, top));
  };
  const point = element.box ?? { left: 0, right: 0, top: 0, bottom: 0 };
  const left = x ?? (point.left + point.right) / 2;
  const top = y ?? (point.top + point.bottom) / 2;
  tell(TOUCH_DOWN, left, top);
  tell(TOUCH_MOVE, left + dx, top + dy);
  const handled = scroll(app, element, [dx, dy]);
  tell(TOUCH_UP, left + dx, top + dy);
  return handled;
}

/** A movement by `[dx, dy]` pixels: to the left and up is negative. */
export function scroll(app, element, [dx, dy]) {
  for (const each of outward(element)) {
    const swipes = [...gesturesOf(each, 'Swipe'), ...gesturesOf(each, 'Pan')].filter((gesture) =>
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
