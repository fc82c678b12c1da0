// Handlers that ask for the size and place of their component.

import { DENSITY } from './units.mjs';

const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const width = (box) => box.right - box.left;
const height = (box) => box.bottom - box.top;

/** Call the handlers whose component has moved or grown; tells whether there were any. */
export function tellAreas(elements) {
  let told = false;
  for (const element of elements.filter((each) => each.box)) {
    const before = element.told ?? NOWHERE;
    const isSame = ['left', 'top', 'right', 'bottom'].every(
      (side) => before[side] === element.box[side],
    );
    const ratio = shownPart(element);
    if (isSame && element.toldRatio === ratio) continue;
    told = tell(element, { before, ratio }) || told;
    element.told = element.box;
    element.toldRatio = ratio;
  }
  return told;
}

function tell(element, { before, ratio }) {
  let told = false;
  const call = (name, ...values) => {
    if (!element.has(name)) return;
    element.call(name, ...values);
    told = true;
  };
  if (width(before) !== width(element.box) || height(before) !== height(element.box))
    call('onSizeChange', sizeOf(before), sizeOf(element.box));
  call('onAreaChange', areaOf(before), areaOf(element.box));
  const visible = element.attributes.get('onVisibleAreaChange');
  if (visible) told = tellVisible(element, visible, ratio) || told;
  return told;
}

function tellVisible(element, [ratios, handler], ratio) {
  const before = element.toldRatio ?? 0;
  const isCrossed = ratios.some(
    (each) => (before < each && ratio >= each) || (before > each && ratio <= each),
  );
  if (isCrossed) handler(ratio > before, ratio);
  return isCrossed;
}

/** How much of an element is in view, from 0 to 1. */
function shownPart({ box, shown }) {
  const whole = width(box) * height(box);
  return shown && whole > 0 ? (width(shown) * height(shown)) / whole : 0;
}

const sizeOf = (box) => ({ width: width(box) / DENSITY, height: height(box) / DENSITY });
const areaOf = (box) => {
  const place = { x: box.left / DENSITY, y: box.top / DENSITY };
  return { ...sizeOf(box), position: place, globalPosition: place };
};
