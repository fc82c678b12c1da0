// @kit.ArkUI: routing, dialogs, windows and lengths.

import { enums } from '../enums.mjs';
import { NavPathStack } from '../components/nav-path-stack.mjs';
import { targetOf } from '../observed.mjs';
import { answer } from '../stage.mjs';
import { DENSITY, SCREEN } from '../units.mjs';
import { openObject } from './index.mjs';

export function makeRouter(app) {
  const { pages } = app;
  const result = (action, callback) => {
    try {
      action();
      return answer(undefined, callback);
    } catch (error) {
      if (error.code === undefined) throw error;
      if (typeof callback !== 'function') return Promise.reject(error);
      queueMicrotask(() => callback(error));
      return undefined;
    }
  };
  const modeOf = (rest) => rest.find((each) => typeof each === 'number');
  const callbackOf = (rest) => rest.find((each) => typeof each === 'function');
  return openObject(
    'router',
    {
      RouterMode: { Standard: 0, Single: 1 },
      pushUrl: (options, ...rest) =>
        result(() => pages.push(options, modeOf(rest)), callbackOf(rest)),
      replaceUrl: (options, ...rest) => result(() => pages.replace(options), callbackOf(rest)),
      push: (options) => {
        pages.push({ url: options.url ?? options.uri, params: options.params });
      },
      replace: (options) => {
        pages.replace({ url: options.url ?? options.uri, params: options.params });
      },
      back: (target, params) => pages.back(target, params),
      clear: () => pages.clear(),
      getLength: () => String(pages.stack.length),
      getParams: () => pages.params(),
      getState: () => pages.state(),
      getStateByIndex: (index) => pages.state(index - 1),
      getStateByUrl: (url) =>
        pages.stack.flatMap((page, index) => (page.url === url ? [pages.state(index)] : [])),
      showAlertBeforeBackPage: (options) => {
        pages.question = options;
      },
      hideAlertBeforeBackPage: () => {
        pages.question = null;
      },
      enableAlertBeforeBackPage: (options) => {
        pages.question = options;
      },
      disableAlertBeforeBackPage: () => {
        pages.question = null;
      },
    },
    app,
  );
}

export function makePromptAction(app) {
  let count = 0;
  const custom = new Map();
  const { dialogs } = app;
  const reply = (promise, callback) => {
    if (typeof callback !== 'function') return promise;
    promise.then(
      (value) => callback(undefined, value),
      (error) => callback(error),
    );
    return undefined;
  };
  const openCustom = (builder, options) => {
    const id = ++count;
    const leave = (layer) => {
      if (options.onWillDismiss) options.onWillDismiss({ dismiss: () => layer.close(), reason: 1 });
      else if (options.autoCancel !== false) layer.close();
      return true;
    };
    custom.set(id, dialogs.openBuilder(builder, { outside: leave, back: leave }));
    return Promise.resolve(id);
  };
  return openObject(
    'promptAction',
    {
      showToast: (options) => dialogs.toast(options),
      openToast: (options) => {
        dialogs.toast(options);
        return Promise.resolve(++count);
      },
      closeToast: () => {
        dialogs.toasts = [];
      },
      showDialog: (options, callback) => reply(dialogs.choose(options), callback),
      showActionMenu: (options, callback) => reply(dialogs.choose(options), callback),
      openCustomDialog: (content, options) =>
        content?.builderNode
          ? openCustom(content.builderNode, options ?? {}).then((id) => {
              custom.set(content, custom.get(id));
            })
          : openCustom(content.builder, content),
      closeCustomDialog: (id) => {
        custom.get(id)?.close();
        custom.delete(id);
        return Promise.resolve();
      },
    },
    app,
  );
}

/** A content that is made apart from the page: a global builder with its parameter. */
class ComponentContent {
  constructor(_context, wrapped, args) {
    this.builderNode = () => wrapped.builder(args);
  }

  update() {}
  dispose() {}
  reuse() {}
}

export class LengthMetrics {
  constructor(value, unit = 1) {
    this.value = value;
    this.unit = unit;
  }

  static px(value) {
    return new LengthMetrics(value, 0);
  }
  static vp(value) {
    return new LengthMetrics(value, 1);
  }
  static fp(value) {
    return new LengthMetrics(value, 2);
  }
  static percent(value) {
    return new LengthMetrics(value, 3);
  }
  static lpx(value) {
    return new LengthMetrics(value, 4);
  }
  static resource(resource) {
    return resource;
  }

  toPixels(whole) {
    return this.unit === 0
      ? this.value
      : this.unit === 3
        ? this.value * whole
        : this.value * DENSITY;
  }
}

const display = {
  id: 0,
  width: SCREEN.width,
  height: SCREEN.height,
  densityPixels: DENSITY,
  densityDPI: 480,
  scaledDensity: DENSITY,
  rotation: 0,
  orientation: 0,
  refreshRate: 60,
  alive: true,
  state: 2,
  name: 'simulated',
};

export function arkUi(app) {
  return {
    router: makeRouter(app),
    promptAction: app.context.promptAction,
    window: openObject(
      'window',
      {
        ...windowConstants,
        getLastWindow: (_context, callback) => answer(app.context.window, callback),
      },
      app,
    ),
    display: openObject(
      'display',
      {
        getDefaultDisplaySync: () => openObject('Display', display, app),
        getDefaultDisplay: (callback) => answer(display, callback),
        FoldStatus: enums.FoldStatus,
        Orientation: { PORTRAIT: 0, LANDSCAPE: 1 },
        isFoldable: () => false,
        on: () => {},
        off: () => {},
      },
      app,
    ),
    curves: openObject('curves', curves, app),
    LengthMetrics,
    LengthUnit: { PX: 0, VP: 1, FP: 2, PERCENT: 3, LPX: 4 },
    ComponentContent,
    NavPathStack,
    UIContext: app.context.constructor,
    UIUtils: openObject('UIUtils', { getTarget: targetOf }, app),
    AppStorageV2: app.globalStores.app,
    PersistenceV2: app.globalStores.persistent,
    SymbolGlyphModifier: class {
      constructor(source) {
        this.source = source;
      }
      applyNormalAttribute() {}
      fontSize() {
        return this;
      }
      fontColor() {
        return this;
      }
      fontWeight() {
        return this;
      }
    },
  };
}

const curve = () => ({ interpolate: (fraction) => fraction });
const curves = {
  initCurve: curve,
  cubicBezierCurve: curve,
  springCurve: curve,
  springMotion: curve,
  responsiveSpringMotion: curve,
  interpolatingSpring: curve,
  stepsCurve: curve,
  customCurve: curve,
  Curve: enums.Curve,
};

const windowConstants = {
  WindowStageEventType: { SHOWN: 1, ACTIVE: 2, INACTIVE: 3, HIDDEN: 4, RESUMED: 5, PAUSED: 6 },
  AvoidAreaType: {
    TYPE_SYSTEM: 0,
    TYPE_CUTOUT: 1,
    TYPE_SYSTEM_GESTURE: 2,
    TYPE_KEYBOARD: 3,
    TYPE_NAVIGATION_INDICATOR: 4,
  },
  Orientation: { UNSPECIFIED: 0, PORTRAIT: 1, LANDSCAPE: 2, AUTO_ROTATION: 5 },
  WindowType: { TYPE_APP: 0, TYPE_DIALOG: 8 },
};
