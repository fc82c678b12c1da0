// Children in a row or a column: Row, Column, Flex and what scrolls.

const SHARE = {
  start: (_free, index, gap) => index * gap,
  center: (free, index, gap) => free / 2 + index * gap,
  end: (free, index, gap) => free + index * gap,
  between: (free, index, gap, count) =>
    (count > 1 ? (index * free) / (count - 1) : 0) + index * gap,
  around: (free, index, gap, count) => (free / count) * (index + 0.5) + index * gap,
  evenly: (free, index, gap, count) => (free / (count + 1)) * (index + 1) + index * gap,
};
const JUSTIFY = { 1: 'start', 2: 'center', 3: 'end', 6: 'between', 7: 'around', 8: 'evenly' };
const ALIGN = { start: 0, center: 0.5, end: 1, stretch: 0 };

/** Children in one row or column. */
export function linear(layout, element, room, { axis, scrolls = false, align, justify, gap }) {
  const [main, cross] = axis === 'y' ? ['height', 'width'] : ['width', 'height'];
  const children = layout.flowing(element);
  const limit = scrolls ? Infinity : room[main];
  let left = limit - gap * Math.max(0, children.length - 1);
  const weightOf = (child) =>
    child.behavior.weight ?? child.attribute('layoutWeight') ?? child.attribute('flexGrow') ?? 0;
  const total = children.reduce((sum, child) => sum + Number(weightOf(child)), 0);
  const whole = { width: room.width, height: room.height };
  const sizeOf = (child, space) =>
    layout.measure(
      child,
      axis === 'x' ? space : room.width,
      axis === 'x' ? room.height : space,
      whole,
    );
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
  const used =
    [...sizes.values()].reduce((sum, size) => sum + size[main], 0) +
    gap * Math.max(0, children.length - 1);
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

export const spaceOf = (layout, element) => layout.pixels(element.option('space'), 0) ?? 0;

export function column(layout, element, room) {
  const align = { 1: 'start', 2: 'center', 3: 'end' }[element.attribute('alignItems')] ?? 'center';
  return linear(layout, element, room, {
    axis: 'y',
    align: SIDE[align],
    justify: JUSTIFY[element.attribute('justifyContent')] ?? 'start',
    gap: spaceOf(layout, element),
  });
}

export function row(layout, element, room) {
  const align = { 1: 'start', 2: 'center', 3: 'end' }[element.attribute('alignItems')] ?? 'center';
  return linear(layout, element, room, {
    axis: 'x',
    align: SIDE[align],
    justify: JUSTIFY[element.attribute('justifyContent')] ?? 'start',
    gap: spaceOf(layout, element),
  });
}

export function flex(layout, element, room) {
  const direction = element.option('direction') ?? 0;
  const axis = direction === 1 || direction === 3 ? 'y' : 'x';
  const justify = JUSTIFY[element.option('justifyContent')] ?? 'start';
  const align = ALIGN[SELF_ALIGN[element.option('alignItems')]] ?? 0;
  if (element.option('wrap') === 1 && axis === 'x') return wrapped(layout, element, room);
  const filled = axis === 'x' ? { ...room, fixedWidth: true } : room;
  return linear(layout, element, filled, { axis, align, justify, gap: gapOf(layout, element) });
}

const gapOf = (layout, element) =>
  layout.pixels(element.option('space')?.main ?? element.option('space'), 0) ?? 0;

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
