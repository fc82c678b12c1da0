// A mouse over the page: its pointer enters and leaves, its buttons are pressed.

import { enums } from './enums.mjs';
import { SOURCE, enabledOutward, fromSource, move, pointAt } from './events.mjs';

// The left one may also be pressed twice, or long.
const BUTTONS = {
  left: 'Left',
  leftTwice: 'Left',
  leftLong: 'Left',
  right: 'Right',
  middle: 'Middle',
};

const mouseEvent = (element, action, button, [x, y]) => ({
  ...pointAt(element, x, y),
  action: enums.MouseAction[action],
  button: enums.MouseButton[button],
  timestamp: Date.now() * 1e6,
  source: SOURCE.mouse,
  stopPropagation() {
    this.isStopped = true;
  },
});

/** Tell `onMouse` from the inside out, until a handler stops it. */
function tell(path, action, button, place) {
  for (const each of path) {
    const event = mouseEvent(each, action, button, place);
    each.call('onMouse', event);
    if (event.isStopped) return;
  }
}

/** The pointer is over `element` at `[x, y]` now. */
export function hover(app, element, place) {
  const path = enabledOutward(element);
  const before = app.hovered;
  app.hovered = path;
  for (const each of before)
    if (!each.disposed && !path.includes(each))
      each.call('onHover', false, hoverEvent(each, place));
  for (const each of path)
    if (!before.includes(each)) each.call('onHover', true, hoverEvent(each, place));
  tell(path, 'Move', 'None', place);
  return path.length > 0;
}

const hoverEvent = (element, [x, y]) => ({
  ...pointAt(element, x, y),
  timestamp: Date.now() * 1e6,
  source: SOURCE.mouse,
  stopPropagation() {},
});

/** Press a button on `element`; `act` is what a finger would do there. */
export function press(app, element, [button, ...place], act) {
  hover(app, element, place);
  const path = enabledOutward(element);
  tell(path, 'Press', BUTTONS[button], place);
  const handled =
    BUTTONS[button] === 'Left' ? fromSource(SOURCE.mouse, act) : menu(app, path, button);
  tell(path, 'Release', BUTTONS[button], place);
  return handled;
}

/** The right button opens the menu that is bound to it. */
function menu(app, path, button) {
  if (button !== 'right') return false;
  for (const each of path) {
    const [items, trigger] = each.attributes.get('bindContextMenu') ?? [];
    if (items === undefined || trigger !== enums.ResponseType.RightClick) continue;
    app.dialogs.menu(items, each);
    return true;
  }
  return false;
}

// Three lines of 21 vp a notch, as in ArkUI; three pixels to a vp.
const NOTCH_PIXELS = 3 * 21 * 3;

/** Turn the wheel by so many notches over `element`: up is negative. */
export function turnWheel(app, element, [notches, ...place]) {
  hover(app, element, place);
  for (const each of enabledOutward(element)) {
    const { range } = each.state;
    if (each.has('onAxisEvent')) app.notSimulated(`${each.type}.onAxisEvent`);
    if ((each.behavior.scroll && each.type !== 'ListItem') || (range && !range.y && range.x))
      app.notSimulated(`${each.type} mouse wheel`);
    if (range && move(app, each, 0, -notches * NOTCH_PIXELS)) return true;
  }
  return false;
}
