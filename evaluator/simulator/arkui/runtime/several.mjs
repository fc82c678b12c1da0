// Two fingers that move towards or away from each other, or turn around each other.

import { enabledOutward, gestureEvent, gesturesOf } from './events.mjs';

const PIXELS = 3;
const LEAST_DEGREES = 1;

/** `{ scale, angle, x, y, other }`: the second finger is on the element `other`. */
export function pinch(app, element, { scale, angle, x, y, other }) {
  const second = app.all().find((each) => each.uid === other);
  const reached = new Set(second ? enabledOutward(second) : []);
  const both = enabledOutward(element).filter((each) => reached.has(each));
  for (const each of both) {
    if (each.has('onTouch')) app.notSimulated(`${each.type}.onTouch with two fingers`);
    const turns = Math.abs(angle) >= LEAST_DEGREES ? gesturesOf(each, 'Rotation', 2) : [];
    const pinches = scale === 1 ? [] : gesturesOf(each, 'Pinch', 2);
    if (turns.length && pinches.length) app.notSimulated(`${each.type} pinched and turned at once`);
    const event = gestureEvent(each, {
      scale,
      angle,
      pinchCenterX: (x - each.box.left) / PIXELS,
      pinchCenterY: (y - each.box.top) / PIXELS,
    });
    for (const gesture of [...turns, ...pinches]) gesture.act(event);
    if (turns.length || pinches.length) return true;
  }
  return false;
}
