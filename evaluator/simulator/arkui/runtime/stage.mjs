// The ability of the package and its window.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeAbilityContext } from './kits/ability-context.mjs';
import { openObject } from './kits/index.mjs';

export class Stage {
  constructor(folder, app) {
    this.app = app;
    this.module = JSON.parse(readFileSync(join(folder, 'module.json'), 'utf8'));
    this.about =
      this.module.module.abilities.find((each) => each.name === this.module.module.mainElement) ??
      this.module.module.abilities[0];
    this.context = makeAbilityContext(app, this.module, this.about);
    this.ability = null;
    this.listeners = new Map();
  }

  start() {
    const exported = this.app.modules.load(this.about.sourcePath);
    const Ability =
      exported.default ?? Object.values(exported).find((each) => typeof each === 'function');
    this.ability = new Ability();
    this.ability.context = this.context;
    this.ability.launchWant = this.want();
    this.ability.onCreate?.(this.want(), { launchReason: 1, lastExitReason: 0 });
    const stage = this.windowStage();
    this.context.windowStage = stage;
    this.ability.onWindowStageCreate?.(stage);
    this.ability.onForeground?.();
  }

  want() {
    return {
      bundleName: this.module.app.bundleName,
      abilityName: this.about.name,
      moduleName: this.module.module.name,
      deviceId: '',
      parameters: {},
    };
  }

  background() {
    this.app.pages.hide(this.app.pages.top);
    this.app.pages.isForeground = false;
    this.ability?.onBackground?.();
  }

  foreground() {
    this.app.pages.isForeground = true;
    this.ability?.onForeground?.();
    this.app.pages.show(this.app.pages.top);
  }

  /** What `onWindowStageCreate` is given. */
  windowStage() {
    const load = (url, storage, callback) => {
      const done = [storage, callback].find((each) => typeof each === 'function');
      this.app.pages.load(url, typeof storage === 'object' ? storage : undefined);
      done?.({ code: 0 }, undefined);
      return Promise.resolve();
    };
    const window = this.app.context.window;
    const stage = {
      loadContent: load,
      loadContentByName: (name) => this.app.notSimulated(`loadContentByName(${name})`),
      getMainWindowSync: () => window,
      getMainWindow: (callback) => answer(window, callback),
      on: () => {},
      off: () => {},
      setDefaultDensityEnabled: () => {},
      setShowOnLockScreen: () => {},
      disableWindowDecor: () => {},
    };
    return openObject('WindowStage', stage, this.app);
  }
}

/** A value as a promise, or through an old-style callback. */
export function answer(value, callback) {
  if (typeof callback !== 'function') return Promise.resolve(value);
  queueMicrotask(() => callback({ code: 0 }, value));
  return undefined;
}
