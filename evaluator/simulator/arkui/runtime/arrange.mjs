// How containers arrange their children. Each function sizes the children, notes their
// `offset` from the corner of the content, and returns the size of the content.

import { grid, gridRow } from './arrange-grid.mjs';
import { column, flex, linear, row, spaceOf } from './arrange-linear.mjs';
import { relative } from './arrange-relative.mjs';
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
  if (text === undefined)
    return element.behavior.natural?.(element, room) ?? { width: 0, height: 0 };
  const size = layout.pixels(element.attribute('fontSize'), 0) ?? vp(16);
  const spacing = layout.pixels(element.attribute('letterSpacing'), 0) ?? 0;
  return textSize(text, size, {
    most: room.width,
    maxLines: element.attribute('maxLines'),
    spacing,
  });
}

/** `Alignment.TopStart` is 0, `Center` 4, `BottomEnd` 8. */
function stack(layout, element, room) {
  const alignment =
    element.option('alignContent') ??
    element.attribute('alignContent') ??
    element.attribute('align') ??
    element.behavior.align ??
    4;
  const children = layout
    .flowing(element)
    .map((child) => [child, layout.measure(child, room.width, room.height)]);
  const width =
    room.fixedWidth || element.behavior.fills
      ? room.width
      : Math.max(0, ...children.map(([, size]) => size.width));
  const height =
    room.fixedHeight || element.behavior.fills
      ? room.height
      : Math.max(0, ...children.map(([, size]) => size.height));
  for (const [child, size] of children) {
    child.offset = {
      x: ((width - size.width) * (alignment % 3)) / 2,
      y: ((height - size.height) * Math.floor(alignment / 3)) / 2,
    };
  }
  return { width, height };
}

/** A list or scroll: as long as its content, seen through a window. */
function scroller(layout, element, room) {
  const isRow = element.behavior.isRow?.(element) ?? false;
  const axis = isRow ? 'x' : 'y';
  const inner = linear(
    layout,
    element,
    element.type === 'Scroll' ? room : { ...room, [isRow ? 'fixedHeight' : 'fixedWidth']: true },
    {
      axis,
      scrolls: true,
      align: element.type === 'Scroll' ? 0.5 : 0,
      justify: 'start',
      gap: spaceOf(layout, element),
    },
  );
  element.state.content = { width: inner.width, height: inner.height };
  const window = {
    width: Math.min(inner.width, room.width),
    height: Math.min(inner.height, room.height),
  };
  if (element.type !== 'Scroll' && Number.isFinite(room.width)) window.width = room.width;
  element.state.range = {
    x: isRow ? Math.max(0, inner.width - (room.fixedWidth ? room.width : window.width)) : 0,
    y: isRow ? 0 : Math.max(0, inner.height - (room.fixedHeight ? room.height : window.height)),
  };
  const scroll = element.state.scroll ?? { x: 0, y: 0 };
  element.state.scroll = {
    x: Math.min(scroll.x, element.state.range.x),
    y: Math.min(scroll.y, element.state.range.y),
  };
  return window;
}

/** A bar (tabs, title) and the content below, above or beside it. */
function framed(layout, element, room) {
  const frame = element.behavior.frame(element);
  const area = { x: 0, y: 0, width: room.width, height: room.height };
  for (const { child, side, size } of frame.bars) {
    const isBeside = side === 'left' || side === 'right';
    layout.measure(child, isBeside ? size : area.width, isBeside ? area.height : size);
    child.measured = {
      ...child.measured,
      ...(isBeside ? { width: size, height: area.height } : { width: area.width, height: size }),
    };
    child.offset = {
      x: side === 'right' ? area.x + area.width - size : area.x,
      y: side === 'bottom' ? area.y + area.height - size : area.y,
    };
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

const ARRANGEMENTS = { column, row, flex, stack, scroller, grid, gridRow, relative, framed };
