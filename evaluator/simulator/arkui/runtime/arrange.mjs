// How containers arrange their children. Each function sizes the children, notes their
// `offset` from the corner of the content, and returns the size of the content.

import { textSize, vp } from './units.mjs';

/** Sizes and offsets inside one element. `room` is the space for its content. */
export function arrange(layout, element, room) {
  const how = ARRANGEMENTS[element.behavior.layout] ?? leaf;
  for (const child of layout.childrenOf(element)) child.measured = undefined;
  return how(layout, element, room);
}

function leaf(layout, element, room) {
  const text = element.behavior.text?.(element, layout.resources);
  const children = layout.flowing(element);
  if (children.length) return stack(layout, element, room);
  if (text === undefined) return element.behavior.natural?.(element, room) ?? { width: 0, height: 0 };
  const size = layout.pixels(element.attribute('fontSize'), 0) ?? vp(16);
  const spacing = layout.pixels(element.attribute('letterSpacing'), 0) ?? 0;
  return textSize(text, size, { most: room.width, maxLines: element.attribute('maxLines'), spacing });
}

const SHARE = {
  start: (_free, index, gap) => index * gap,
  center: (free, index, gap) => free / 2 + index * gap,
  end: (free, index, gap) => free + index * gap,
  between: (free, index, gap, count) => (count > 1 ? (index * free) / (count - 1) : 0) + index * gap,
  around: (free, index, gap, count) => (free / count) * (index + 0.5) + index * gap,
  evenly: (free, index, gap, count) => (free / (count + 1)) * (index + 1) + index * gap,
};
const JUSTIFY = { 1: 'start', 2: 'center', 3: 'end', 6: 'between', 7: 'around', 8: 'evenly' };
const ALIGN = { start: 0, center: 0.5, end: 1, stretch: 0 };

/** Children in one row or column. */
function linear(layout, element, room, { axis, scrolls = false, align, justify, gap }) {
  const [main, cross] = axis === 'y' ? ['height', 'width'] : ['width', 'height'];
  const children = layout.flowing(element);
  const limit = scrolls ? Infinity : room[main];
  let left = limit - gap * Math.max(0, children.length - 1);
  const weightOf = (child) => child.behavior.weight ?? child.attribute('layoutWeight') ?? child.attribute('flexGrow') ?? 0;
  const total = children.reduce((sum, child) => sum + Number(weightOf(child)), 0);
  const whole = { width: room.width, height: room.height };
  const sizeOf = (child, space) => layout.measure(child, axis === 'x' ? space : room.width, axis === 'x' ? room.height : space, whole);
  const sizes = new Map();
  for (const child of children.filter((each) => !weightOf(each) || scrolls)) {
    const size = sizeOf(child, Math.max(0, left));
    sizes.set(child, size);
    left -= size[main];
  }
  const shared = Math.max(0, left);
  for (const child of children.filter((each) => !sizes.has(each))) {
    const share = (shared * weightOf(child)) / total;
    child.forced = { [main]: share };
    sizes.set(child, sizeOf(child, share));
  }
  const used = [...sizes.values()].reduce((sum, size) => sum + size[main], 0) + gap * Math.max(0, children.length - 1);
  const widest = Math.max(0, ...[...sizes.values()].map((size) => size[cross]));
  const isFixed = { width: room.fixedWidth, height: room.fixedHeight };
  const frame = !scrolls && (isFixed[main] || total > 0) ? Math.max(room[main], 0) : used;
  const breadth = isFixed[cross] ? room[cross] : Math.min(widest, room[cross]);
  const free = scrolls ? 0 : Math.max(0, frame - used);
  let at = 0;
  children.forEach((child, index) => {
    const size = sizes.get(child);
    const own = ALIGN[SELF_ALIGN[child.attribute('alignSelf')]] ?? align;
    const place = at + SHARE[justify](free, index, gap, children.length);
    const side = (breadth - size[cross]) * own;
    child.offset = axis === 'y' ? { x: side, y: place } : { x: place, y: side };
    at += size[main];
  });
  return { [main]: frame, [cross]: breadth };
}

const SELF_ALIGN = { 1: 'start', 2: 'center', 3: 'end', 4: 'stretch' };
const SIDE = { start: 0, center: 0.5, end: 1 };

const spaceOf = (layout, element) => layout.pixels(element.option('space'), 0) ?? 0;

function column(layout, element, room) {
  const align = { 1: 'start', 2: 'center', 3: 'end' }[element.attribute('alignItems')] ?? 'center';
  return linear(layout, element, room, { axis: 'y', align: SIDE[align], justify: JUSTIFY[element.attribute('justifyContent')] ?? 'start', gap: spaceOf(layout, element) });
}

function row(layout, element, room) {
  const align = { 1: 'start', 2: 'center', 3: 'end' }[element.attribute('alignItems')] ?? 'center';
  return linear(layout, element, room, { axis: 'x', align: SIDE[align], justify: JUSTIFY[element.attribute('justifyContent')] ?? 'start', gap: spaceOf(layout, element) });
}

function flex(layout, element, room) {
  const direction = element.option('direction') ?? 0;
  const axis = direction === 1 || direction === 3 ? 'y' : 'x';
  const justify = JUSTIFY[element.option('justifyContent')] ?? 'start';
  const align = ALIGN[SELF_ALIGN[element.option('alignItems')]] ?? 0;
  if (element.option('wrap') === 1 && axis === 'x') return wrapped(layout, element, room);
  const filled = axis === 'x' ? { ...room, fixedWidth: true } : room;
  return linear(layout, element, filled, { axis, align, justify, gap: gapOf(layout, element) });
}

const gapOf = (layout, element) => layout.pixels(element.option('space')?.main ?? element.option('space'), 0) ?? 0;

function wrapped(layout, element, room) {
  const gap = gapOf(layout, element);
  let x = 0;
  let y = 0;
  let line = 0;
  for (const child of layout.flowing(element)) {
    const size = layout.measure(child, room.width, room.height);
    if (x > 0 && x + size.width > room.width) {
      x = 0;
      y += line;
      line = 0;
    }
    child.offset = { x, y };
    x += size.width + gap;
    line = Math.max(line, size.height);
  }
  return { width: room.width, height: y + line };
}

/** `Alignment.TopStart` is 0, `Center` 4, `BottomEnd` 8. */
function stack(layout, element, room) {
  const alignment = element.option('alignContent') ?? element.attribute('alignContent') ?? element.attribute('align') ?? element.behavior.align ?? 4;
  const children = layout.flowing(element).map((child) => [child, layout.measure(child, room.width, room.height)]);
  const width = room.fixedWidth || element.behavior.fills ? room.width : Math.max(0, ...children.map(([, size]) => size.width));
  const height = room.fixedHeight || element.behavior.fills ? room.height : Math.max(0, ...children.map(([, size]) => size.height));
  for (const [child, size] of children) {
    child.offset = { x: ((width - size.width) * (alignment % 3)) / 2, y: ((height - size.height) * Math.floor(alignment / 3)) / 2 };
  }
  return { width, height };
}

/** A list or scroll: as long as its content, seen through a window. */
function scroller(layout, element, room) {
  const isRow = element.behavior.isRow?.(element) ?? false;
  const axis = isRow ? 'x' : 'y';
  const inner = linear(layout, element, element.type === 'Scroll' ? room : { ...room, [isRow ? 'fixedHeight' : 'fixedWidth']: true }, {
    axis, scrolls: true, align: element.type === 'Scroll' ? 0.5 : 0, justify: 'start', gap: spaceOf(layout, element),
  });
  element.state.content = { width: inner.width, height: inner.height };
  const window = { width: Math.min(inner.width, room.width), height: Math.min(inner.height, room.height) };
  if (element.type !== 'Scroll' && Number.isFinite(room.width)) window.width = room.width;
  element.state.range = {
    x: isRow ? Math.max(0, inner.width - (room.fixedWidth ? room.width : window.width)) : 0,
    y: isRow ? 0 : Math.max(0, inner.height - (room.fixedHeight ? room.height : window.height)),
  };
  const scroll = element.state.scroll ?? { x: 0, y: 0 };
  element.state.scroll = { x: Math.min(scroll.x, element.state.range.x), y: Math.min(scroll.y, element.state.range.y) };
  return window;
}

function tracks(template, room, gap) {
  const words = String(template).trim().split(/\s+/);
  const parts = words.map((word) => Number.parseFloat(word) || 1);
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => ((room - gap * (parts.length - 1)) * part) / sum);
}

function grid(layout, element, room) {
  const columnGap = layout.pixels(element.attribute('columnsGap'), room.width) ?? 0;
  const rowGap = layout.pixels(element.attribute('rowsGap'), room.height) ?? 0;
  const repeated = /^\s*repeat\(\s*auto-\w+\s*,\s*([\d.]+)/.exec(element.attribute('columnsTemplate') ?? '');
  const count = repeated ? Math.max(1, Math.floor(room.width / vp(Number(repeated[1])))) : 0;
  const columns = tracks(count ? '1fr '.repeat(count) : element.attribute('columnsTemplate') ?? '1fr', room.width, columnGap);
  const rows = element.attribute('rowsTemplate') && Number.isFinite(room.height) ? tracks(element.attribute('rowsTemplate'), room.height, rowGap) : null;
  let y = 0;
  let line = 0;
  layout.flowing(element).forEach((child, index) => {
    const at = index % columns.length;
    if (at === 0 && index > 0) {
      y += line + rowGap;
      line = 0;
    }
    const height = rows?.[Math.floor(index / columns.length)];
    const size = layout.measure(child, columns[at], height ?? Infinity);
    child.offset = { x: columns.slice(0, at).reduce((a, b) => a + b + columnGap, 0), y };
    line = Math.max(line, height ?? size.height);
  });
  const height = y + line;
  element.state.range = { x: 0, y: Math.max(0, height - room.height) };
  const scroll = element.state.scroll ?? { x: 0, y: 0 };
  element.state.scroll = { x: 0, y: Math.min(scroll.y, element.state.range.y) };
  return { width: room.width, height: Math.min(height, room.height) };
}

/** Things placed by rules on each other's edges; '__container__' is the container. */
function relative(layout, element, room) {
  const children = layout.flowing(element);
  const height = Number.isFinite(room.height) ? room.height : 0;
  const boxes = new Map([['__container__', { x: 0, y: 0, width: room.width, height }]]);
  const point = (rule, axis) => {
    const box = boxes.get(rule.anchor);
    const length = axis === 'x' ? box?.width : box?.height;
    return box ? box[axis] + length * (((rule.align ?? 1) - 1) / 2) : 0;
  };
  const along = (start, middle, end, own, axis) => {
    if (start && end) return { at: point(start, axis), length: point(end, axis) - point(start, axis) };
    if (start) return { at: point(start, axis), length: own };
    if (middle) return { at: point(middle, axis) - own / 2, length: own };
    return { at: end ? point(end, axis) - own : 0, length: own };
  };
  for (let round = 0; round < 2; round++) {
    for (const child of children) {
      const rules = child.attribute('alignRules') ?? {};
      const size = layout.measure(child, room.width, room.height);
      const x = along(rules.left ?? rules.start, rules.middle, rules.right ?? rules.end, size.width, 'x');
      const y = along(rules.top, rules.center, rules.bottom, size.height, 'y');
      child.measured.width += x.length - size.width;
      child.measured.height += y.length - size.height;
      child.offset = { x: x.at, y: y.at };
      boxes.set(child.attribute('id') ?? child, { x: x.at, y: y.at, width: x.length, height: y.length });
    }
  }
  return { width: room.width, height: room.fixedHeight || Number.isFinite(room.height) ? height : 0 };
}

/** A bar (tabs, title) and the content below, above or beside it. */
function framed(layout, element, room) {
  const frame = element.behavior.frame(element);
  const area = { x: 0, y: 0, width: room.width, height: room.height };
  for (const { child, side, size } of frame.bars) {
    const isBeside = side === 'left' || side === 'right';
    layout.measure(child, isBeside ? size : area.width, isBeside ? area.height : size);
    child.measured = { ...child.measured, ...(isBeside ? { width: size, height: area.height } : { width: area.width, height: size }) };
    child.offset = { x: side === 'right' ? area.x + area.width - size : area.x, y: side === 'bottom' ? area.y + area.height - size : area.y };
    if (side === 'left') area.x += size;
    if (side === 'top') area.y += size;
    area[isBeside ? 'width' : 'height'] -= size;
  }
  for (const child of frame.content) {
    const size = layout.measure(child, area.width, area.height);
    child.offset = { x: area.x + (frame.center ? (area.width - size.width) / 2 : 0), y: area.y };
  }
  return { width: room.width, height: room.height };
}

const ARRANGEMENTS = { column, row, flex, stack, scroller, grid, relative, framed };
