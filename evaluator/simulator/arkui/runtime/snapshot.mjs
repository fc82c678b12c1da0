// The tree that a driver sees, as plain objects.

import { NAVIGATION_BAR, SCREEN, STATUS_BAR } from './units.mjs';

const HIDDEN = 1;
const GONE = 2;

const LOOKS = [
  'fontSize',
  'fontColor',
  'fontWeight',
  'fontStyle',
  'backgroundColor',
  'opacity',
  'textAlign',
  'borderRadius',
  'padding',
  'decoration',
  'maxLines',
  'selectedColor',
  'color',
  'fillColor',
  'textOverflow',
  'lineHeight',
  'rotate',
  'scale',
  'zIndex',
  'hitTestBehavior',
];

/** Lay out the roots and describe every element that is drawn. */
export function snapshot(app, roots) {
  const screen = { left: 0, top: 0, right: SCREEN.width, bottom: SCREEN.height };
  const page = {
    left: 0,
    top: STATUS_BAR,
    right: SCREEN.width,
    bottom: SCREEN.height - NAVIGATION_BAR,
  };
  for (const root of roots) {
    app.layout.measure(root, page.right - page.left, page.bottom - page.top);
    const at = root.type === 'Toast' ? toastPlace(root, page) : { x: page.left, y: page.top };
    app.layout.place(root, at.x, at.y, screen);
  }
  const nodes = [];
  for (const root of roots)
    describe(app, root, { parent: null, nodes, isShown: true, isEnabled: true });
  return nodes;
}

/** In the middle, above the lower edge. */
const toastPlace = (toast, page) => ({
  x: (page.left + page.right - toast.measured.width) / 2,
  y: page.bottom - 3 * toast.measured.height,
});

function describe(app, element, { parent, nodes, isShown, isEnabled }) {
  if (element.attribute('visibility') === GONE || !element.box) return;
  const { behavior, state } = element;
  const visible = isShown && element.attribute('visibility') !== HIDDEN && element.shown !== null;
  const enabled = isEnabled && element.attribute('enabled') !== false;
  const text = behavior.text?.(element, app.resources);
  const handles = (name) => typeof element.attribute(name) === 'function';
  nodes.push({
    uid: element.uid,
    parent,
    type: element.type,
    id: String(element.attribute('id') ?? element.attribute('key') ?? ''),
    text: text ?? '',
    hint: behavior.hint?.(element, app.resources) ?? '',
    bounds: round(element.shown ?? element.box),
    enabled,
    visible,
    clickable: Boolean(
      behavior.clickable ||
        handles('onClick') ||
        element.has('bindMenu') ||
        handlesGesture(element, 'Tap'),
    ),
    longClickable: Boolean(element.has('bindContextMenu') || handlesGesture(element, 'LongPress')),
    scrollable: Boolean(behavior.scrollable),
    checkable: Boolean(behavior.checkable),
    checked: Boolean(behavior.checked?.(element)),
    selected: Boolean(
      behavior.selected?.(element) ?? element.attribute('selected') === true ?? false,
    ),
    focused: app.focused === element,
    description: app.resources.text(
      element.attribute('accessibilityText') ?? behavior.description?.(element) ?? '',
    ),
    style: styleOf(app, element, state),
  });
  for (const child of app.drawnIn(element))
    describe(app, child, { parent: element.uid, nodes, isShown: visible, isEnabled: enabled });
}

function handlesGesture(element, kind) {
  return ['gesture', 'priorityGesture', 'parallelGesture'].some((name) =>
    element
      .attribute(name)
      ?.all?.()
      .some((gesture) => gesture.kind === kind),
  );
}

const FARTHEST = 1_000_000;
const round = (box) =>
  [box.left, box.top, box.right, box.bottom].map((side) =>
    Math.round(Math.min(FARTHEST, Math.max(-FARTHEST, side || 0))),
  );

/** The looks that a check may ask for, as JSON values. */
function styleOf(app, element, state) {
  const style = {};
  for (const name of LOOKS) {
    const value = element.attribute(name);
    if (value === undefined || typeof value === 'function') continue;
    style[name] = value?.$isResource ? app.resources.value(value) : plain(value);
  }
  if (state.value !== undefined) style.value = plain(state.value);
  const source = element.type === 'Image' ? element.args[0] : undefined;
  if (source !== undefined) style.source = source?.$isResource ? source.path : plain(source);
  if (element.type === 'Progress')
    style.value = element.attribute('value') ?? element.option('value');
  return style;
}

function plain(value) {
  if (typeof value !== 'object' || value === null) return value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return String(value);
  }
}
