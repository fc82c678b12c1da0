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
  constructor(gestures) {
    this.gestures = gestures;
  }

  all() {
    return this.gestures.flatMap((gesture) => gesture.all());
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
  GestureGroup: (_mode, ...gestures) => new Group(gestures),
};
