// Containers without a will of their own.

import { builderOf } from '../tree.mjs';

const scroller = (isRow) => ({
  layout: 'scroller',
  clips: true,
  scrollable: true,
  isRow,
  handles: SCROLL_EVENTS,
});

export const SCROLL_EVENTS = [
  'onScroll',
  'onScrollEdge',
  'onScrollStart',
  'onScrollEnd',
  'onScrollStop',
  'onScrollIndex',
  'onReachStart',
  'onReachEnd',
  'onWillScroll',
  'onDidScroll',
  'onScrollFrameBegin',
  'onScrollVisibleContentChange',
];

const own = (element) => element.children.flatMap((child) => child.elements());

/** A row of a list; pulled aside, it shows what `swipeAction` put beside it. */
const swipeable = {
  layout: 'stack',
  align: 3,
  handles: ['swipeAction', 'selectable', 'selected', 'onSelect'],
  children(element) {
    const side = element.state.pulled;
    const builder = side && builderOf(element.attribute('swipeAction')?.[side]);
    return builder ? [...own(element), ...element.part(side, builder).elements()] : own(element);
  },
  scroll(element, [dx, dy]) {
    const action = element.attribute('swipeAction');
    if (!action || Math.abs(dx) <= Math.abs(dy)) return false;
    const side = dx < 0 ? 'end' : 'start';
    const before = element.state.pulled;
    element.state.pulled = before ? undefined : side;
    if (!before && action[side]) action[side].onStateChange?.(SWIPE_EXPANDED);
    return Boolean(before || action[side]);
  },
};
const SWIPE_EXPANDED = 1;

/** The number or text in the corner of a Badge. */
function badge(element, app) {
  const { count, maxCount = 99, value } = element.args[0] ?? {};
  const text = value ?? (count > maxCount ? `${maxCount}+` : count);
  if (text === undefined || text === '' || Number(count) === 0) return [];
  const shown = app.synthetic(element, 'badge', 'Text');
  shown.args = [typeof text === 'number' ? String(text) : text];
  return [shown];
}

/** Every child in its own row or column, the offset of a Scroll as its Scroller sees it. */
export const containers = {
  Column: { layout: 'column', handles: ['reverse', 'pointLight'] },
  Row: { layout: 'row', handles: ['reverse', 'pointLight'] },
  Stack: { layout: 'stack' },
  Flex: { layout: 'flex' },
  RelativeContainer: { layout: 'relative' },
  Blank: { layout: 'stack', weight: 1 },
  Divider: {
    size: (element) => (element.attribute('vertical') ? { width: 3 } : { height: 3 }),
    layout: 'stack',
    fills: true,
  },
  Scroll: scroller((element) => element.attribute('scrollable') === 1),
  List: scroller((element) => element.attribute('listDirection') === 1),
  ListItem: swipeable,
  ListItemGroup: {
    layout: 'column',
    children: (element) => [
      ...header(element, 'header'),
      ...own(element),
      ...header(element, 'footer'),
    ],
    handles: ['childrenMainSize'],
  },
  Grid: { layout: 'grid', clips: true, scrollable: true, handles: SCROLL_EVENTS },
  GridItem: {
    layout: 'stack',
    handles: [
      'selectable',
      'selected',
      'onSelect',
      'rowStart',
      'rowEnd',
      'columnStart',
      'columnEnd',
      'forceRebuild',
    ],
  },
  WaterFlow: { layout: 'grid', clips: true, scrollable: true, handles: SCROLL_EVENTS },
  FlowItem: { layout: 'stack' },
  Refresh: {
    layout: 'column',
    scrollable: true,
    handles: ['onRefreshing', 'onStateChange', 'onOffsetChange'],
  },
  Badge: { layout: 'stack', children: (element, app) => [...own(element), ...badge(element, app)] },
  GridRow: { layout: 'gridRow', handles: ['onBreakpointChange'] },
  GridCol: { layout: 'stack' },
  __Common__: { layout: 'stack' },
  Shape: { layout: 'stack' },
  Circle: { layout: 'stack', size: shapeSize },
  Ellipse: { layout: 'stack', size: shapeSize },
  Rect: { layout: 'stack', size: shapeSize },
  Line: { layout: 'stack', size: shapeSize },
  Path: { layout: 'stack', size: shapeSize },
  Polygon: { layout: 'stack', size: shapeSize },
  Polyline: { layout: 'stack', size: shapeSize },
  ScrollBar: { layout: 'stack' },
  ColumnSplit: { layout: 'column', handles: ['resizeable'] },
  RowSplit: { layout: 'row', handles: ['resizeable'] },
};

function header(element, name) {
  const builder = element.option(name);
  return builder ? element.part(name, builder).elements() : [];
}

function shapeSize(element, resources) {
  const length = (value) =>
    typeof value === 'number' ? value * 3 : (resources && Number.parseFloat(value) * 3) || null;
  return { width: length(element.option('width')), height: length(element.option('height')) };
}
