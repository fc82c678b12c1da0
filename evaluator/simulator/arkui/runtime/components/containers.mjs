// Containers without a will of their own.

const scroller = (isRow) => ({ layout: 'scroller', clips: true, scrollable: true, isRow, handles: SCROLL_EVENTS });

export const SCROLL_EVENTS = ['onScroll', 'onScrollEdge', 'onScrollStart', 'onScrollEnd', 'onScrollStop', 'onScrollIndex',
  'onReachStart', 'onReachEnd', 'onWillScroll', 'onDidScroll', 'onScrollFrameBegin', 'onScrollVisibleContentChange'];

/** Every child in its own row or column, the offset of a Scroll as its Scroller sees it. */
export const containers = {
  Column: { layout: 'column', handles: ['reverse', 'pointLight'] },
  Row: { layout: 'row', handles: ['reverse', 'pointLight'] },
  Stack: { layout: 'stack' },
  Flex: { layout: 'flex' },
  RelativeContainer: { layout: 'relative' },
  Blank: { layout: 'stack', weight: 1 },
  Divider: { size: (element) => (element.attribute('vertical') ? { width: 3 } : { height: 3 }), layout: 'stack', fills: true },
  Scroll: scroller((element) => element.attribute('scrollable') === 1),
  List: scroller((element) => element.attribute('listDirection') === 1),
  ListItem: { layout: 'stack', align: 3, fills: false, handles: ['swipeAction', 'selectable', 'selected', 'onSelect'] },
  ListItemGroup: {
    layout: 'column',
    children: (element) => [...header(element, 'header'), ...element.children.flatMap((child) => child.elements()), ...header(element, 'footer')],
    handles: ['childrenMainSize'],
  },
  Grid: { layout: 'grid', clips: true, scrollable: true, handles: [...SCROLL_EVENTS, 'onItemDrop', 'onItemDragStart'] },
  GridItem: { layout: 'stack', handles: ['selectable', 'selected', 'onSelect', 'rowStart', 'rowEnd', 'columnStart', 'columnEnd', 'forceRebuild'] },
  WaterFlow: { layout: 'grid', clips: true, scrollable: true, handles: SCROLL_EVENTS },
  FlowItem: { layout: 'stack' },
  Refresh: { layout: 'column', scrollable: true, handles: ['onRefreshing', 'onStateChange', 'onOffsetChange'] },
  Badge: { layout: 'stack' },
  Counter: { layout: 'row', handles: ['onInc', 'onDec', 'enableInc', 'enableDec'] },
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
  const length = (value) => (typeof value === 'number' ? value * 3 : resources && Number.parseFloat(value) * 3 || null);
  return { width: length(element.option('width')), height: length(element.option('height')) };
}
