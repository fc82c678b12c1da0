// A finger that rests on something, moves while it is held, and lets go: drag and drop,
// rows of a list that change their places, and long presses that go on as a movement.

import { DRAG_EVENTS } from './components/attributes.mjs';
import { enabledOutward, gestureEvent, gesturesOf, scroll, touchAt } from './events.mjs';
import { placeholder } from './placeholder.mjs';

const TOUCH_DOWN = 0;
const TOUCH_UP = 1;
const TOUCH_MOVE = 2;
const SUCCESSFUL = 0;
const FAILED = 1;
const PIXELS = 3; // to a vp

const DATA_EVENTS = new Set([
  ...['onDragStart', 'onDragEnter', 'onDragMove', 'onDragLeave', 'onDrop', 'onDragEnd'],
]);
const OTHER_EVENTS = DRAG_EVENTS.filter((name) => !DATA_EVENTS.has(name));

/** The finger has rested on `element` at `[x, y]` long enough for a long press. */
export function grab(app, element, [x, y]) {
  app.held = null;
  const path = enabledOutward(element);
  for (const each of path) each.call('onTouch', touchAt(each, TOUCH_DOWN, x, y));
  const from = { x, y };
  const held = { element, path, from, at: from };
  for (const each of path) {
    const other = OTHER_EVENTS.find((name) => each.has(name));
    if (other) app.notSimulated(`${each.type}.${other}`);
    const presses = gesturesOf(each, 'LongPress');
    const isMenu = each.has('bindContextMenu');
    const takes = [isDragSource(each), presses.length > 0, isMenu, moverOf(each) !== null];
    if (!takes.includes(true)) continue;
    if (takes.filter(Boolean).length > 1 || isMenu)
      app.notSimulated(`${each.type} drag with a long press or a menu of its own`);
    app.held = { ...held, source: each, presses, ...kindOf(each, presses) };
    for (const press of presses) press.act(gestureEvent(each));
    return true;
  }
  const own = path.find((each) => each.attribute('draggable') === true || each.type === 'Image');
  if (own && app.all().some((each) => each.has('onDrop')))
    app.notSimulated(`${own.type} dragged without onDragStart`);
  app.held = { ...held, kind: 'slide' };
  return true;
}

const isDragSource = (element) =>
  typeof element.attribute('onDragStart') === 'function' &&
  element.attribute('draggable') !== false;

function kindOf(element, presses) {
  if (presses.length) return { kind: 'press' };
  return isDragSource(element)
    ? { kind: 'data', drag: { data: undefined, result: FAILED }, over: null }
    : { kind: 'row' };
}

/** The finger is over `element` at `[x, y]` now; `isOver` is false where nothing is there. */
export function carry(app, element, [x, y, isOver]) {
  const { held } = app;
  if (!held) return false;
  const isFirst = held.at === held.from;
  held.at = { x, y };
  for (const each of held.path) each.call('onTouch', touchAt(each, TOUCH_MOVE, x, y));
  if (held.kind !== 'data') return true;
  if (isFirst) held.source.call('onDragStart', dragEvent(app, held), '');
  const under = isOver === false ? [] : enabledOutward(element);
  const target = under.find((each) => typeof each.attribute('onDrop') === 'function') ?? null;
  if (target?.attribute('allowDrop') != null) app.notSimulated('allowDrop');
  if (target === held.over) target?.call('onDragMove', dragEvent(app, held), '');
  else {
    held.over?.call('onDragLeave', dragEvent(app, held), '');
    held.over = target;
    target?.call('onDragEnter', dragEvent(app, held), '');
  }
  return true;
}

/** The finger lets go where it was carried to. */
export function release(app) {
  const { held } = app;
  if (!held) return false;
  app.held = null;
  const { x, y } = held.at;
  const by = [x - held.from.x, y - held.from.y];
  for (const each of held.path) each.call('onTouch', touchAt(each, TOUCH_UP, x, y));
  if (held.kind === 'data') drop(app, held);
  else if (held.kind === 'row') moveRow(app, held, by);
  else if (held.kind === 'press') goOn(held, by);
  else return scroll(app, held.element, by);
  return true;
}

function drop(app, held) {
  const { drag, over, source } = held;
  if (over) {
    drag.result = SUCCESSFUL;
    over.call('onDrop', dragEvent(app, held), '');
  }
  source.call('onDragEnd', dragEvent(app, held), '');
}

/** After a long press the movement counts where a sequence or a parallel group wants it. */
function goOn({ source, presses }, [dx, dy]) {
  const after = new Set(presses.flatMap((press) => press.group?.alongside(press) ?? []));
  for (const gesture of after)
    if (['Pan', 'Swipe'].includes(gesture.kind) && gesture.takes(dx, dy))
      gesture.act(gestureEvent(source, { offsetX: dx / PIXELS, offsetY: dy / PIXELS }));
}

const known = (held) => ({
  dragBehavior: undefined,
  useCustomDropAnimation: false,
  setData(data) {
    held.drag.data = data;
  },
  getData: () => held.drag.data,
  setResult(result) {
    held.drag.result = result;
  },
  getResult: () => held.drag.result,
  ...Object.fromEntries(
    ['getX', 'getWindowX', 'getDisplayX'].map((name) => [name, () => held.at.x / PIXELS]),
  ),
  ...Object.fromEntries(
    ['getY', 'getWindowY', 'getDisplayY'].map((name) => [name, () => held.at.y / PIXELS]),
  ),
});

const dragEvent = (app, held) =>
  new Proxy(known(held), {
    get: (target, name) =>
      name in target || typeof name === 'symbol'
        ? target[name]
        : placeholder(`DragEvent.${name}`, (missing) => app.notSimulated(missing)),
  });

// --- rows of ForEach(...).onMove(...) ----------------------------------------

/** The list of rows that a ListItem of a List belongs to, if it lets them be moved. */
function moverOf(element) {
  if (element.type !== 'ListItem' || element.around?.type !== 'List') return null;
  for (let at = element.parent; at && at.kind !== 'element'; at = at.parent)
    if (at.onMove) return at;
  return null;
}

function moveRow(app, { source }, by) {
  const list = moverOf(source);
  const rows = list.children.map((child) => child.elements());
  if (rows.some((each) => each.length !== 1)) {
    app.notSimulated('onMove of a list with other than one ListItem an entry');
    return;
  }
  const isRow = source.around.attribute('listDirection') === 1;
  const [start, end] = isRow ? ['left', 'right'] : ['top', 'bottom'];
  const moved = isRow ? by[0] : by[1];
  const middle = (source.box[start] + source.box[end]) / 2 + moved;
  const from = rows.findIndex(([row]) => row === source);
  const past = rows.findIndex(([row]) => middle < row.box[end]);
  const to = past < 0 ? rows.length - 1 : past;
  if (to !== from) list.onMove(from, to);
}
