// Modules of the platform by their import names. What a module lacks is reported when
// it is used, never when it is only imported.

import { placeholder } from '../placeholder.mjs';
import { abilityKit } from './ability.mjs';
import { arkData } from './data.mjs';
import { arkTs } from './arkts.mjs';
import { arkUi } from './arkui.mjs';
import { basics } from './basics.mjs';
import { coreFile } from './files.mjs';
import { localization } from './localization.mjs';

// Older import names: the module's default export is one name of a kit.
const LEGACY = {
  '@ohos.router': ['@kit.ArkUI', 'router'],
  '@ohos.promptAction': ['@kit.ArkUI', 'promptAction'],
  '@ohos.prompt': ['@kit.ArkUI', 'promptAction'],
  '@ohos.window': ['@kit.ArkUI', 'window'],
  '@ohos.display': ['@kit.ArkUI', 'display'],
  '@ohos.mediaquery': ['@kit.ArkUI', 'mediaquery'],
  '@ohos.curves': ['@kit.ArkUI', 'curves'],
  '@ohos.hiTraceMeter': ['@kit.PerformanceAnalysisKit', 'hiTraceMeter'],
  '@ohos.hilog': ['@kit.PerformanceAnalysisKit', 'hilog'],
  '@ohos.data.preferences': ['@kit.ArkData', 'preferences'],
  '@ohos.app.ability.UIAbility': ['@kit.AbilityKit', 'UIAbility'],
  '@ohos.app.ability.AbilityStage': ['@kit.AbilityKit', 'AbilityStage'],
  '@ohos.app.ability.AbilityConstant': ['@kit.AbilityKit', 'AbilityConstant'],
  '@ohos.app.ability.ConfigurationConstant': ['@kit.AbilityKit', 'ConfigurationConstant'],
  '@ohos.app.ability.common': ['@kit.AbilityKit', 'common'],
  '@ohos.file.fs': ['@kit.CoreFileKit', 'fileIo'],
  '@ohos.util': ['@kit.ArkTS', 'util'],
  '@ohos.base': ['@kit.BasicServicesKit', 'base'],
  '@ohos.events.emitter': ['@kit.BasicServicesKit', 'emitter'],
  '@ohos.deviceInfo': ['@kit.BasicServicesKit', 'deviceInfo'],
  '@ohos.pasteboard': ['@kit.BasicServicesKit', 'pasteboard'],
  '@ohos.i18n': ['@kit.LocalizationKit', 'i18n'],
  '@ohos.intl': ['@kit.LocalizationKit', 'intl'],
};

/** All modules for one app. */
export function makeKits(app) {
  const tables = {
    '@kit.AbilityKit': abilityKit(app),
    '@kit.ArkData': arkData(app),
    '@kit.ArkTS': arkTs(app),
    '@kit.CoreFileKit': coreFile(app),
    '@kit.ArkUI': arkUi(app),
    ...basics(app),
    '@kit.LocalizationKit': localization(app),
  };
  const report = (name) => app.notSimulated(name);
  const open = (specifier, table) =>
    new Proxy(table, {
      get(known, name) {
        if (typeof name === 'symbol' || name === '__esModule')
          return name === '__esModule' ? true : known[name];
        return name in known
          ? known[name]
          : placeholder(name === 'default' ? specifier : `${specifier} ${name}`, report);
      },
    });
  return {
    module(specifier) {
      const legacy = LEGACY[specifier];
      if (legacy)
        return open(specifier, { default: open(specifier, tables[legacy[0]])[legacy[1]] });
      return open(specifier, tables[specifier] ?? {});
    },
  };
}

/** A kit object whose missing members are reported by name when they are used. */
export function openObject(name, members, app) {
  return new Proxy(members, {
    get(known, key) {
      if (
        typeof key === 'symbol' ||
        key in known ||
        key === 'then' ||
        key === 'toJSON' ||
        key.startsWith('$')
      )
        return known[key];
      return placeholder(`${name}.${key}`, (what) => app.notSimulated(what));
    },
  });
}
