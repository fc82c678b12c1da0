// UIContext: the services of a page without global names.

import { Scroller } from '../scroller.mjs';
import { DENSITY } from '../units.mjs';
import { ConnectedStores } from '../stores-v2.mjs';
import { makePromptAction, makeRouter } from './arkui.mjs';
import { openObject } from './index.mjs';
import { makeWindow } from './window.mjs';

export function makeContext(app) {
  let router = null;
  const promptAction = makePromptAction(app);
  const animate = (options, change) => {
    change();
    app.later(() => options?.onFinish?.());
  };
  app.globalStores = new ConnectedStores(app);
  const context = openObject(
    'UIContext',
    {
      promptAction,
      window: makeWindow(app),
      getPromptAction: () => promptAction,
      getRouter: () => (router ??= makeRouter(app)),
      getHostContext: () => app.stage.context,
      showAlertDialog: (options) => {
        app.dialogs.alert(options);
      },
      showActionSheet: (options) => {
        app.dialogs.actionSheet(options);
      },
      animateTo: animate,
      keyframeAnimateTo: (options, frames) => {
        for (const frame of frames) frame.event();
        app.later(() => options?.onFinish?.());
      },
      runScopedTask: (action) => action(),
      vp2px: (value) => value * DENSITY,
      px2vp: (value) => value / DENSITY,
      fp2px: (value) => value * DENSITY,
      px2fp: (value) => value / DENSITY,
      lpx2px: (value) => (value * 1308) / 720,
      px2lpx: (value) => (value * 720) / 1308,
      getFocusController: () =>
        openObject(
          'FocusController',
          {
            requestFocus: (id) =>
              app.focus(app.all().find((each) => each.attribute('id') === id) ?? null),
            clearFocus: () => app.focus(null),
          },
          app,
        ),
      getUIInspector: () => openObject('UIInspector', {}, app),
      getKeyboardAvoidMode: () => 0,
      setKeyboardAvoidMode: () => {},
      isAvailable: () => true,
      getId: () => 100000,
      getWindowName: () => 'main',
      getSharedLocalStorage: () => app.localStorage,
      postFrameCallback: (callback) => app.later(() => callback.onFrame?.(0)),
      postDelayedFrameCallback: (callback, delay) => {
        app.timers.once(() => callback.onFrame?.(0), delay);
      },
      createScroller: () => new Scroller(),
    },
    app,
  );
  return context;
}
