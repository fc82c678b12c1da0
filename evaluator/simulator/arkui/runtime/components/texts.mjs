// Text, Button, Image and other things that are only shown.

import { vp } from '../units.mjs';

const first = (element, resources) =>
  isText(element.args[0]) ? resources.text(element.args[0]) : '';
const isText = (value) =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  Boolean(value?.$isResource) ||
  Boolean(value?.isStyledString);

/** A Text with Spans inside says what its spans say. */
function textOf(element, resources) {
  const spans = element.children
    .flatMap((child) => child.elements())
    .filter((child) => child.type === 'Span');
  if (spans.length) return spans.map((span) => first(span, resources)).join('');
  return element.args[0]?.isStyledString ? element.args[0].getString() : first(element, resources);
}

export const texts = {
  Text: {
    layout: 'leaf',
    text: textOf,
    handles: ['onCopy', 'onTextSelectionChange', 'onMarqueeStateChange'],
  },
  Span: { layout: 'leaf', text: first, handles: ['textBackgroundStyle'] },
  ContainerSpan: { layout: 'leaf' },
  ImageSpan: { layout: 'leaf' },
  Button: {
    layout: 'leaf',
    text: (element, resources) => (isText(element.args[0]) ? first(element, resources) : undefined),
    padding: { left: 16, right: 16 },
    size: (element) => (isText(element.args[0]) ? { height: vp(40) } : {}),
    clickable: true,
  },
  Image: {
    layout: 'leaf',
    natural: () => ({ width: vp(48), height: vp(48) }),
    handles: [
      'onComplete',
      'onError',
      'onFinish',
      'matchTextDirection',
      'fitOriginalSize',
      'resizable',
      'enableAnalyzer',
      'analyzerConfig',
      'copyOption',
    ],
  },
  SymbolGlyph: { layout: 'leaf', natural: () => ({ width: vp(16), height: vp(16) }) },
  SymbolSpan: { layout: 'leaf' },
  LoadingProgress: { layout: 'leaf', natural: () => ({ width: vp(40), height: vp(40) }) },
  Gauge: {
    layout: 'leaf',
    natural: () => ({ width: vp(100), height: vp(100) }),
    handles: ['value', 'startAngle', 'endAngle', 'indicator', 'description', 'trackShadow'],
  },
  DataPanel: {
    layout: 'leaf',
    natural: () => ({ width: vp(100), height: vp(100) }),
    handles: ['closeEffect', 'valueColors', 'trackBackgroundColor', 'trackShadow'],
  },
  QRCode: { layout: 'leaf', natural: () => ({ width: vp(140), height: vp(140) }) },
  Marquee: {
    layout: 'leaf',
    text: (element, resources) => resources.text(element.option('src')),
    handles: ['onStart', 'onBounce', 'onFinish'],
  },
  Progress: {
    layout: 'leaf',
    natural: (_element, room) => ({ width: room.width, height: vp(4) }),
    handles: ['value'],
  },
};
