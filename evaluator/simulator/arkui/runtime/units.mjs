// Lengths. The simulated screen has 1308 x 2880 pixels, three to a vp.

export const DENSITY = 3;
export const SCREEN = { width: 1308, height: 2880 };
export const STATUS_BAR = 39 * DENSITY;
export const NAVIGATION_BAR = 28 * DENSITY;

export const vp = (value) => value * DENSITY;

const FACTORS = { vp: DENSITY, fp: DENSITY, px: 1, lpx: SCREEN.width / 720 };

/**
 * Pixels of an ArkUI length: a number (vp), '12px', '50%' of `whole`, a resource.
 * Null when it says nothing, as for 'auto'.
 */
export function pixels(value, whole, resources) {
  if (typeof value === 'number') return Number.isFinite(value) ? vp(value) : null;
  if (typeof value === 'string') {
    const match = /^\s*(-?[\d.]+)\s*(vp|fp|px|lpx|%)?\s*$/.exec(value);
    if (!match) return calculated(value, whole);
    const amount = Number(match[1]);
    if (match[2] === '%') return Number.isFinite(whole) ? (amount / 100) * whole : null;
    return amount * (FACTORS[match[2]] ?? DENSITY);
  }
  if (value?.$isResource) return pixels(resources.value(value), whole, resources);
  if (typeof value?.value === 'number')
    return value.toPixels ? value.toPixels(whole) : vp(value.value);
  return null;
}

/** `calc(100% - 20vp)`: sums and differences of lengths. */
function calculated(text, whole) {
  const match = /^\s*calc\((.*)\)\s*$/.exec(text);
  if (!match) return null;
  const terms = match[1].replace(/\s+([+-])\s+/g, '|$1').split('|');
  let sum = 0;
  for (const term of terms) {
    const sign = term[0] === '-' ? -1 : 1;
    const amount = pixels(term.replace(/^[+-]/, ''), whole);
    if (amount === null) return null;
    sum += sign * amount;
  }
  return sum;
}

/** The four sides of a padding or margin in pixels. */
export function sides(value, whole, resources) {
  const one = (side) => pixels(side, whole, resources) ?? 0;
  if (value === undefined || value === null) return { left: 0, top: 0, right: 0, bottom: 0 };
  if (typeof value !== 'object' || value.$isResource || 'value' in value) {
    const all = one(value);
    return { left: all, top: all, right: all, bottom: all };
  }
  return {
    left: one(value.left ?? value.start),
    top: one(value.top),
    right: one(value.right ?? value.end),
    bottom: one(value.bottom),
  };
}

const isWide = (character) => character.codePointAt(0) > 0x2e7f;

/** Width of one line of text in pixels, for a font of `size` pixels. */
function textWidth(text, size) {
  let width = 0;
  for (const character of text) width += isWide(character) ? size : size * 0.55;
  return width;
}

const LINE_HEIGHT = 1.3;

/** Width and height of a text wrapped to `most` pixels, each character followed by `spacing`. */
export function textSize(text, size, { most, maxLines = Infinity, spacing = 0 }) {
  let lines = 0;
  let widest = 0;
  for (const part of String(text).split('\n')) {
    const width = textWidth(part, size) + [...part].length * spacing;
    widest = Math.max(widest, Math.min(width, most));
    lines += Math.max(1, Number.isFinite(most) && most > 0 ? Math.ceil(width / most) : 1);
  }
  return { width: widest, height: Math.min(lines, maxLines) * size * LINE_HEIGHT };
}
