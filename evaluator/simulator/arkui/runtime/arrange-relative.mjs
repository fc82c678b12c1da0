// RelativeContainer.

/** Things placed by rules on each other's edges; '__container__' is the container. */
export function relative(layout, element, room) {
  const children = layout.flowing(element);
  const height = Number.isFinite(room.height) ? room.height : 0;
  const boxes = new Map([['__container__', { x: 0, y: 0, width: room.width, height }]]);
  const point = (rule, axis) => {
    const box = boxes.get(rule.anchor);
    const length = axis === 'x' ? box?.width : box?.height;
    return box ? box[axis] + length * (((rule.align ?? 1) - 1) / 2) : 0;
  };
  const along = (start, middle, end, own, axis) => {
    if (start && end)
      return { at: point(start, axis), length: point(end, axis) - point(start, axis) };
    if (start) return { at: point(start, axis), length: own };
    if (middle) return { at: point(middle, axis) - own / 2, length: own };
    return { at: end ? point(end, axis) - own : 0, length: own };
  };
  for (let round = 0; round < 2; round++) {
    for (const child of children) {
      const rules = child.attribute('alignRules') ?? {};
      const size = layout.measure(child, room.width, room.height);
      const x = along(
        rules.left ?? rules.start,
        rules.middle,
        rules.right ?? rules.end,
        size.width,
        'x',
      );
      const y = along(rules.top, rules.center, rules.bottom, size.height, 'y');
      child.measured.width += x.length - size.width;
      child.measured.height += y.length - size.height;
      child.offset = { x: x.at, y: y.at };
      boxes.set(child.attribute('id') ?? child, {
        x: x.at,
        y: y.at,
        width: x.length,
        height: y.length,
      });
    }
  }
  return {
    width: room.width,
    height: room.fixedHeight || Number.isFinite(room.height) ? height : 0,
  };
}
