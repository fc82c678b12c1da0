// Names that every source file may use without importing them.

import { enums } from './enums.mjs';
import { gestureMakers } from './gestures.mjs';
import { Observed, Track } from './observed.mjs';
import { Computed, Monitor, ObservedV2, Trace } from './model.mjs';
import { CustomDialogController } from './dialogs.mjs';
import { LocalStorage } from './storage.mjs';
import { PageController, TabBarStyle } from './components/paging.mjs';
import { TextController } from './components/inputs.mjs';
import { NavPathStack } from './components/nav-path-stack.mjs';
import { Scroller } from './scroller.mjs';
import { placeholder } from './placeholder.mjs';
import { DENSITY } from './units.mjs';
import { VALUES } from '../compiler/names.mjs';

// Node puts these into every function's scope; on a device they do not exist.
const ABSENT = [
  'process',
  'Buffer',
  'global',
  'fetch',
  'structuredClone',
  'setImmediate',
  'clearImmediate',
  'performance',
  'navigator',
  'crypto',
  'Blob',
  'File',
  'FormData',
  'Headers',
  'Request',
  'Response',
  'WebSocket',
  'BroadcastChannel',
  'MessageChannel',
  'eval',
];

/** The table of global names for the modules of one app. */
export function globalsFor(app) {
  const unknown = Object.fromEntries(
    VALUES.map((name) => [name, placeholder(name, (what) => app.notSimulated(what))]),
  );
  const absent = Object.fromEntries(ABSENT.map((name) => [name, undefined]));
  return {
    ...absent,
    globalThis: {},
    ...unknown,
    ...enums,
    ...gestureMakers,
    ...state(app),
    ...controllers(app),
    ...timers(app),
    ...functions(app),
    console: consoleOf(app),
    TextEncoder,
    TextDecoder,
  };
}

const state = (app) => ({
  Observed,
  Track,
  ObservedV2,
  Trace,
  Monitor,
  SyncMonitor: Monitor,
  Computed,
  LocalStorage,
  AppStorage: app.appStorage,
  PersistentStorage: app.persistentStorage,
});

const LOOKS = ['TransitionEffect', 'Indicator', 'DotIndicator', 'DigitIndicator', 'LinearGradient'];

const controllers = (app) => ({
  CustomDialogController: class extends CustomDialogController {
    constructor(options) {
      super(app, options);
    }
  },
  AlertDialog: {
    show: (options) => {
      app.dialogs.alert(options);
    },
  },
  ActionSheet: {
    show: (options) => {
      app.dialogs.actionSheet(options);
    },
  },
  Scroller,
  ListScroller: Scroller,
  TabsController: PageController,
  SwiperController: PageController,
  TextInputController: TextController,
  TextAreaController: TextController,
  SearchController: TextController,
  NavPathStack,
  ...Object.fromEntries(LOOKS.map((name) => [name, looks()])),
  SubTabBarStyle: class extends TabBarStyle {
    constructor(content) {
      super(content);
    }
  },
  BottomTabBarStyle: class extends TabBarStyle {
    constructor(_icon, text) {
      super(text);
    }
  },
});

/** Things that are looks only, such as `TransitionEffect.OPACITY.animation(...)`. */
function looks() {
  return new Proxy(function look() {}, {
    get: (_, name) => (typeof name === 'string' && name !== 'then' ? looks() : undefined),
    apply: looks,
    construct: looks,
  });
}

const FRAME_MILLISECONDS = 16;

const timers = ({ timers: all }) => ({
  setTimeout: (callback, delay, ...args) => all.once(() => callback(...args), delay),
  setInterval: (callback, delay, ...args) => all.every(() => callback(...args), delay),
  clearTimeout: (id) => all.stop(id),
  clearInterval: (id) => all.stop(id),
  requestAnimationFrame: (callback) => all.once(() => callback(0), FRAME_MILLISECONDS),
  cancelAnimationFrame: (id) => all.stop(id),
});

const functions = (app) => ({
  $r: (path, ...params) => app.resources.reference(path, ...params),
  $rawfile: (path) => app.resources.rawfile(path),
  getContext: () => app.stage.context,
  wrapBuilder: (builder) => ({ builder }),
  mutableBuilder: (builder) => ({ builder }),
  vp2px: (value) => value * DENSITY,
  px2vp: (value) => value / DENSITY,
  fp2px: (value) => value * DENSITY,
  px2fp: (value) => value / DENSITY,
  lpx2px: (value) => (value * 1308) / 720,
  px2lpx: (value) => (value * 720) / 1308,
  canIUse: () => true,
  animateTo: (options, change) => {
    change();
    app.later(() => options?.onFinish?.());
  },
  animateToImmediately: (options, change) => {
    change();
    app.later(() => options?.onFinish?.());
  },
});

function consoleOf(app) {
  const levels = {
    log: 'I',
    info: 'I',
    debug: 'D',
    warn: 'W',
    error: 'E',
    trace: 'D',
    assert: 'E',
  };
  return Object.fromEntries(
    Object.entries(levels).map(([name, level]) => [
      name,
      (...values) => app.log(`${level} A03D00/JSAPP: ${values.map(printed).join(' ')}`),
    ]),
  );
}

function printed(value) {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
}
