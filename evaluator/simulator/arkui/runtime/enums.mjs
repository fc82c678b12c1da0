// Enumerations of ArkUI. Those that decide something here have their values; of all
// others a member is a name that equals itself.

import { ENUMS } from '../compiler/names.mjs';

const counted = (text, first = 0) =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((name, index) => [name, index + first]),
  );

const VALUES = {
  FlexAlign: { Start: 1, Center: 2, End: 3, SpaceBetween: 6, SpaceAround: 7, SpaceEvenly: 8 },
  ItemAlign: counted('Auto Start Center End Stretch Baseline'),
  HorizontalAlign: counted('Start Center End', 1),
  VerticalAlign: counted('Top Center Bottom', 1),
  Alignment: counted('TopStart Top TopEnd Start Center End BottomStart Bottom BottomEnd'),
  Visibility: counted('Visible Hidden None'),
  FlexDirection: counted('Row Column RowReverse ColumnReverse'),
  FlexWrap: counted('NoWrap Wrap WrapReverse'),
  Axis: counted('Vertical Horizontal'),
  ScrollDirection: counted('Vertical Horizontal Free None'),
  BarPosition: counted('Start End'),
  BarMode: counted('Fixed Scrollable'),
  InputType: {
    Normal: 0,
    Number: 2,
    PhoneNumber: 3,
    Email: 5,
    Password: 7,
    NUMBER_PASSWORD: 8,
    SCREEN_LOCK_PASSWORD: 9,
    USER_NAME: 10,
    NEW_PASSWORD: 11,
    NUMBER_DECIMAL: 12,
    URL: 13,
    ONE_TIME_CODE: 14,
  },
  ToggleType: counted('Checkbox Switch Button'),
  ButtonType: counted('Capsule Circle Normal'),
  ProgressType: counted('Linear Ring Eclipse ScaleRing Capsule'),
  SliderChangeMode: counted('Begin Moving End Click'),
  EnterKeyType: { Go: 2, Search: 3, Send: 4, Next: 5, Done: 6, PREVIOUS: 7, NEW_LINE: 8 },
  DragResult: counted('DRAG_SUCCESSFUL DRAG_FAILED DRAG_CANCELED DROP_ENABLED DROP_DISABLED'),
  SourceType: counted('Unknown Mouse TouchScreen'),
  TouchType: counted('Down Up Move Cancel'),
  SelectStatus: counted('All Part None'),
  NavigationMode: counted('Stack Split Auto'),
  NavDestinationMode: counted('STANDARD DIALOG'),
  ColorMode: counted('LIGHT DARK'),
  DialogAlignment: counted(
    'Top Center Bottom Default TopStart TopEnd CenterStart CenterEnd BottomStart BottomEnd',
  ),
  DismissReason: counted('PRESS_BACK TOUCH_OUTSIDE CLOSE_BUTTON SLIDE_DOWN'),
  SwipeActionState: counted('COLLAPSED EXPANDED ACTIONING'),
  FontWeight: counted('Lighter Normal Regular Medium Bold Bolder'),
  TextAlign: counted('Start Center End JUSTIFY'),
  Edge: counted('Top Center Bottom Baseline Start Middle End'),
  RefreshStatus: counted('Inactive Drag OverDrag Refresh Done'),
  GestureMode: counted('Sequence Parallel Exclusive'),
  SwipeDirection: { None: 0, Horizontal: 1, Vertical: 2, All: 3 },
  PanDirection: {
    None: 0,
    Left: 1,
    Right: 2,
    Horizontal: 3,
    Up: 4,
    Down: 8,
    Vertical: 12,
    All: 15,
  },
  Color: {
    White: '#ffffff',
    Black: '#000000',
    Blue: '#0000ff',
    Brown: '#a52a2a',
    Gray: '#808080',
    Grey: '#808080',
    Green: '#008000',
    Orange: '#ffa500',
    Pink: '#ffc0cb',
    Red: '#ff0000',
    Yellow: '#ffff00',
    Transparent: '#00000000',
  },
};

/** An enumeration of which only the names matter. */
const named = (name) =>
  new Proxy(
    {},
    { get: (_, member) => (typeof member === 'string' ? `${name}.${member}` : undefined) },
  );

export const enums = Object.fromEntries(
  [...new Set(ENUMS)].map((name) => [name, Object.freeze(VALUES[name]) ?? named(name)]),
);
