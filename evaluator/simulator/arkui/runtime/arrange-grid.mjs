// Children in columns: Grid, WaterFlow and GridRow.

import { vp } from './units.mjs';

function tracks(template, room, gap) {
  const words = String(template).trim().split(/\s+/);
  const parts = words.map((word) => Number.parseFloat(word) || 1);
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => ((room - gap * (parts.length - 1)) * part) / sum);
}

export function grid(layout, element, room) {
  const columnGap = layout.pixels(element.attribute('columnsGap'), room.width) ?? 0;
  const rowGap = layout.pixels(element.attribute('rowsGap'), room.height) ?? 0;
  const repeated = /^\s*repeat\(\s*auto-\w+\s*,\s*([\d.]+)/.exec(
    element.attribute('columnsTemplate') ?? '',
  );
  const count = repeated ? Math.max(1, Math.floor(room.width / vp(Number(repeated[1])))) : 0;
  const columns = tracks(
    count ? '1fr '.repeat(count) : (element.attribute('columnsTemplate') ?? '1fr'),
    room.width,
    columnGap,
  );
  const rows =
    element.attribute('rowsTemplate') && Number.isFinite(room.height)
      ? tracks(element.attribute('rowsTemplate'), room.height, rowGap)
      : null;
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

// The screen of 436 vp is a small one among the breakpoints of ArkUI.
const BREAKPOINT = 'sm';
const COLUMNS = 12;

/** A number, or one for each breakpoint. */
function atBreakpoint(value, fallback) {
  if (typeof value === 'number') return value;
  return value?.[BREAKPOINT] ?? value?.xs ?? fallback;
}

/** GridRow: columns of equal width, of which each GridCol takes some. */
export function gridRow(layout, element, room) {
  const columns = atBreakpoint(element.option('columns'), COLUMNS);
  const gutter = element.option('gutter');
  const gap = {
    x: layout.pixels(gutter?.x ?? gutter, room.width) ?? 0,
    y: layout.pixels(gutter?.y ?? gutter, room.width) ?? 0,
  };
  const one = (room.width - gap.x * (columns - 1)) / columns;
  let at = 0;
  let y = 0;
  let line = 0;
  for (const child of layout.flowing(element)) {
    const span = Math.min(columns, atBreakpoint(child.option('span'), 1));
    at += atBreakpoint(child.option('offset'), 0);
    if (at > 0 && at + span > columns) {
      at = 0;
      y += line + gap.y;
      line = 0;
    }
    const width = span * one + (span - 1) * gap.x;
    child.forced = { width };
    const size = layout.measure(child, width, room.height);
    child.offset = { x: at * (one + gap.x), y };
    at += span;
    line = Math.max(line, size.height);
  }
  return { width: room.width, height: y + line };
}
