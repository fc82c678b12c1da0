// Where things are: sizes from the inside out, places from the outside in. Good enough
// to know what lies above, beside and within what; no claim to be exact to the pixel.

import { arrange } from './arrange.mjs';
import { pixels, sides } from './units.mjs';

const GONE = 2;

export class Layout {
  /** `childrenOf(element)` lists what is drawn inside an element. */
  constructor(resources, childrenOf) {
    this.resources = resources;
    this.childrenOf = childrenOf;
  }

  pixels(value, whole) {
    return pixels(value, whole, this.resources);
  }

  /** Elements that take up room in their container. */
  flowing(element) {
    return this.childrenOf(element).filter(
      (child) => child.attribute('visibility') !== GONE && !this.isPinned(child),
    );
  }

  isPinned(element) {
    return element.has('position');
  }

  /**
   * Size an element for at most `width` x `height` pixels, margins included. Percentages
   * are those of `whole`, the content of the container, whatever of it is left.
   */
  measure(element, width, height, whole = { width, height }) {
    const margin = sides(element.attribute('margin'), whole.width, this.resources);
    const room = {
      width: Math.max(0, width - margin.left - margin.right),
      height: Math.max(0, height - margin.top - margin.bottom),
    };
    const padding = sides(
      element.attribute('padding') ?? element.behavior.padding,
      room.width,
      this.resources,
    );
    const fixed = { ...this.fixedSize(element, room, whole), ...this.share(element, margin) };
    const most = this.limits(element, room);
    const frame = { width: fixed.width ?? most.width, height: fixed.height ?? most.height };
    const content = arrange(this, element, {
      width: Math.max(0, frame.width - padding.left - padding.right),
      height: Math.max(0, frame.height - padding.top - padding.bottom),
      fixedWidth: fixed.width !== null,
      fixedHeight: fixed.height !== null,
    });
    const isWide = element.behavior.fillsWidth && Number.isFinite(most.width);
    const size = {
      width:
        fixed.width ??
        (isWide
          ? most.width
          : Math.min(
              most.width,
              Math.max(most.minWidth, content.width + padding.left + padding.right),
            )),
      height:
        fixed.height ??
        Math.min(
          most.height,
          Math.max(most.minHeight, content.height + padding.top + padding.bottom),
        ),
    };
    element.measured = { ...size, margin, padding };
    for (const child of this.childrenOf(element))
      if (this.isPinned(child)) this.pin(element, child);
    return {
      width: size.width + margin.left + margin.right,
      height: size.height + margin.top + margin.bottom,
    };
  }

  /** The length that a row or column has given to an element with a weight. */
  share(element, margin) {
    const { forced } = element;
    element.forced = undefined;
    if (forced?.width !== undefined)
      return { width: Math.max(0, forced.width - margin.left - margin.right) };
    if (forced?.height !== undefined)
      return { height: Math.max(0, forced.height - margin.top - margin.bottom) };
    return {};
  }

  fixedSize(element, room, whole) {
    const size = element.attribute('size') ?? {};
    let width = this.pixels(element.attribute('width') ?? size.width, whole.width);
    let height = this.pixels(element.attribute('height') ?? size.height, whole.height);
    const natural = element.behavior.size?.(element, this.resources);
    if (natural && width === null) width = natural.width ?? null;
    if (natural && height === null) height = natural.height ?? null;
    const ratio = element.attribute('aspectRatio');
    if (typeof ratio === 'number' && width !== null && height === null) height = width / ratio;
    else if (typeof ratio === 'number' && height !== null && width === null) width = height * ratio;
    return { width, height };
  }

  limits(element, room) {
    const rule = element.attribute('constraintSize') ?? {};
    return {
      width: Math.min(room.width, this.pixels(rule.maxWidth, room.width) ?? Infinity),
      height: Math.min(room.height, this.pixels(rule.maxHeight, room.height) ?? Infinity),
      minWidth: this.pixels(rule.minWidth, room.width) ?? 0,
      minHeight: this.pixels(rule.minHeight, room.height) ?? 0,
    };
  }

  /** `.position({ x, y })`, and overlays: relative to the container, outside of its flow. */
  pin(container, child) {
    const { width, height } = container.measured;
    this.measure(child, width, height);
    const at = child.attribute('position') ?? {};
    const one = (start, end, whole, own) =>
      this.pixels(start, whole) ??
      (end === undefined ? 0 : whole - own - (this.pixels(end, whole) ?? 0));
    child.offset = {
      x:
        one(at.x ?? at.left, at.right, width, child.measured.width) -
        container.measured.padding.left,
      y:
        one(at.y ?? at.top, at.bottom, height, child.measured.height) -
        container.measured.padding.top,
    };
  }

  /** Give an element and everything in it its place on the screen. */
  place(element, left, top, clip) {
    const { margin, padding, width, height } = element.measured;
    const moved = element.attribute('offset') ?? {};
    const x = left + margin.left + (this.pixels(moved.x, width) ?? 0);
    const y = top + margin.top + (this.pixels(moved.y, height) ?? 0);
    element.box = { left: x, top: y, right: x + width, bottom: y + height };
    element.shown = intersect(element.box, clip);
    const inner = element.behavior.clips ? (element.shown ?? EMPTY) : clip;
    const scroll = element.state.scroll ?? { x: 0, y: 0 };
    for (const child of this.childrenOf(element)) {
      if (!child.measured || child.attribute('visibility') === GONE) continue;
      const at = child.offset ?? { x: 0, y: 0 };
      this.place(
        child,
        x + padding.left + at.x - scroll.x,
        y + padding.top + at.y - scroll.y,
        inner,
      );
    }
  }
}

const EMPTY = { left: 0, top: 0, right: 0, bottom: 0 };

/** The common part of two rectangles; null if there is none. */
function intersect(a, b) {
  const box = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
  return box.right < box.left || box.bottom < box.top ? null : box;
}
