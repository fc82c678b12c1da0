// The one window of an app, as far as apps look at it.

import { answer } from '../stage.mjs';
import { NAVIGATION_BAR, SCREEN, STATUS_BAR } from '../units.mjs';
import { openObject } from './index.mjs';

const nothing = { left: 0, top: 0, width: 0, height: 0 };
const AREAS = {
  0: { topRect: { left: 0, top: 0, width: SCREEN.width, height: STATUS_BAR } },
  4: {
    bottomRect: {
      left: 0,
      top: SCREEN.height - NAVIGATION_BAR,
      width: SCREEN.width,
      height: NAVIGATION_BAR,
    },
  },
};

/** Settings of the window change nothing that is simulated. */
const SETTINGS = [
  'setWindowLayoutFullScreen',
  'setWindowSystemBarEnable',
  'setWindowSystemBarProperties',
  'setSpecificSystemBarEnabled',
  'setWindowKeepScreenOn',
  'setWindowBrightness',
  'setWindowBackgroundColor',
  'setPreferredOrientation',
  'setWindowPrivacyMode',
  'setWindowFocusable',
  'setWindowTouchable',
  'setImmersiveModeEnabledState',
];

export function makeWindow(app) {
  const settings = Object.fromEntries(
    SETTINGS.map((name) => [
      name,
      (...args) =>
        answer(
          undefined,
          args.find((each) => typeof each === 'function'),
        ),
    ]),
  );
  const rect = { left: 0, top: 0, width: SCREEN.width, height: SCREEN.height };
  return openObject(
    'Window',
    {
      ...settings,
      getWindowProperties: () => ({
        windowRect: rect,
        drawableRect: rect,
        type: 0,
        isFullScreen: true,
        isLayoutFullScreen: true,
        focusable: true,
        touchable: true,
        brightness: 1,
        id: 1,
      }),
      getWindowAvoidArea: (type) => ({
        visible: type in AREAS,
        leftRect: nothing,
        topRect: nothing,
        rightRect: nothing,
        bottomRect: nothing,
        ...AREAS[type],
      }),
      getUIContext: () => app.context,
      getWindowSystemBarProperties: () => ({}),
      loadContent: (url, storage) =>
        app.pages.load(url, typeof storage === 'object' ? storage : undefined),
      setUIContent: (url) => answer(app.pages.load(url)),
      on: () => {},
      off: () => {},
      isWindowShowing: () => true,
      getPreferredOrientation: () => 0,
    },
    app,
  );
}
