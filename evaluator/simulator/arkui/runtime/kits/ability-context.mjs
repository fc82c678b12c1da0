// The context of the ability: resources, folders, and the way out.

import { answer } from '../stage.mjs';
import { makeResourceManager } from './localization.mjs';
import { openObject } from './index.mjs';

export function makeAbilityContext(app, packed, about) {
  const application = openObject(
    'ApplicationContext',
    {
      setColorMode: () => {},
      setLanguage: () => {},
      setFontSizeScale: () => {},
      on: () => 0,
      off: () => {},
      resourceManager: makeResourceManager(app),
      filesDir: '/data/storage/el2/base/files',
    },
    app,
  );
  return openObject(
    'UIAbilityContext',
    {
      resourceManager: makeResourceManager(app),
      abilityInfo: {
        name: about.name,
        bundleName: packed.app.bundleName,
        moduleName: packed.module.name,
      },
      applicationInfo: { name: packed.app.bundleName },
      currentHapModuleInfo: { name: packed.module.name },
      config: { language: 'en-US', colorMode: 1 },
      filesDir: '/data/storage/el2/base/haps/entry/files',
      cacheDir: '/data/storage/el2/base/haps/entry/cache',
      tempDir: '/data/storage/el2/base/haps/entry/temp',
      preferencesDir: '/data/storage/el2/base/haps/entry/preferences',
      databaseDir: '/data/storage/el2/database/entry',
      bundleCodeDir: '/data/storage/el1/bundle',
      area: 1,
      eventHub: eventHub(),
      getApplicationContext: () => application,
      setMissionLabel: (_label, callback) => answer(undefined, callback),
      windowStage: undefined,
    },
    app,
  );
}

/** `context.eventHub`: named events inside the app. */
function eventHub() {
  const handlers = new Map();
  return {
    on: (name, handler) => handlers.set(name, [...(handlers.get(name) ?? []), handler]),
    off: (name, handler) =>
      handlers.set(
        name,
        handler ? (handlers.get(name) ?? []).filter((each) => each !== handler) : [],
      ),
    emit: (name, ...values) => {
      for (const handler of handlers.get(name) ?? []) handler(...values);
    },
  };
}
