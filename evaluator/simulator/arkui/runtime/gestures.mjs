// Gesture objects, as an app makes them for `.gesture(...)`.

const CALLBACKS = [
  'onAction',
  'onActionStart',
  'onActionUpdate',
  'onActionEnd',
  'onActionCancel',
  'onCancel',
  'tag',
  'allowedTypes',
];

const TWO_FINGERS = ['Pinch', 'Rotation'];
const SEQUENCE = 0;
const PARALLEL = 1;

class Gesture {
  constructor(kind, options) {
    this.kind = kind;
    this.options = options ?? {};
    this.callbacks = {};
    for (const name of CALLBACKS) {
      this[name] = (callback) => {
        this.callbacks[name] = callback;
        return this;
      };
    }
  }

  all() {
    return [this];
  }

  /** What a touch may begin with. */
  offered() {
    return [this];
  }

  /** How many fingers it needs at least. */
  get fingers() {
    return this.options.fingers ?? (TWO_FINGERS.includes(this.kind) ? 2 : 1);
  }

  /** Does a movement of these pixels belong to the gesture? */
  takes(dx, dy) {
    const direction = this.options.direction;
    const isHorizontal = Math.abs(dx) > Math.abs(dy);
    if (direction === undefined || direction === 15) return true;
    if (this.kind === 'Swipe') return direction === 3 || (direction === 1) === isHorizontal;
    const bit = isHorizontal ? (dx < 0 ? 1 : 2) : dy < 0 ? 4 : 8;
    return Boolean(direction & bit);
  }

  act(event) {
    for (const name of ['onActionStart', 'onAction', 'onActionUpdate', 'onActionEnd'])
      this.callbacks[name]?.(event);
  }
}

class Group {
  constructor(mode, gestures) {
    this.mode = mode;
    this.gestures = gestures;
    for (const gesture of gestures) gesture.group = this;
  }

  all() {
    return this.gestures.flatMap((gesture) => gesture.all());
  }

  /** Of a sequence only its first part: the others wait for it. */
  offered() {
    const first = this.mode === SEQUENCE ? this.gestures.slice(0, 1) : this.gestures;
    return first.flatMap((gesture) => gesture.offered());
  }

  /** The gestures that the same touch may bring about after `gesture`, or beside it. */
  alongside(gesture) {
    if (this.mode === SEQUENCE) return this.gestures.slice(this.gestures.indexOf(gesture) + 1);
    return this.mode === PARALLEL ? this.gestures.filter((each) => each !== gesture) : [];
  }

  onCancel() {
    return this;
  }
  tag() {
    return this;
  }
}

const maker = (kind) => (options) => new Gesture(kind, options);

export const gestureMakers = {
  TapGesture: maker('Tap'),
  LongPressGesture: maker('LongPress'),
  PanGesture: maker('Pan'),
  SwipeGesture: maker('Swipe'),
  PinchGesture: maker('Pinch'),
  RotationGesture: maker('Rotation'),
  GestureGroup: (mode, ...gestures) => new Group(mode, gestures),
};
