// @kit.LocalizationKit and the resource manager of a context.

import { answer } from '../stage.mjs';
import { format } from '../resources.mjs';
import { openObject } from './index.mjs';

export function makeResourceManager(app) {
  const { resources } = app;
  const reference = (resource, type) =>
    resource?.$isResource ? resource : resources.reference(`app.${type}.${resource}`);
  const text = (resource, params) => format(resources.text(reference(resource, 'string')), params);
  const list = (resource) => resources.value(reference(resource, 'strarray'));
  const number = (resource) => {
    const value = resources.value(reference(resource, 'integer'));
    return typeof value === 'number' ? value : Number.parseFloat(value);
  };
  const both = {
    getString: (resource, ...params) => text(resource, params),
    getStringByName: (name, ...params) => text(name, params),
    getStringValue: (resource) => text(resource, []),
    getStringArray: list,
    getStringArrayByName: list,
    getStringArrayValue: list,
    getNumber: number,
    getNumberByName: number,
    getBoolean: (resource) => resources.value(reference(resource, 'boolean')) === true,
    getBooleanByName: (name) => resources.value(reference(name, 'boolean')) === true,
    getColor: (resource) =>
      Number.parseInt(String(resources.value(reference(resource, 'color'))).slice(1), 16),
    getColorByName: (name) =>
      Number.parseInt(String(resources.value(reference(name, 'color'))).slice(1), 16),
    getRawFileContent: (path) => resources.rawBytes(path),
    getPluralStringValue: (resource, count) =>
      format(resources.value({ ...reference(resource, 'plural'), params: [count] }), [count]),
    getPluralStringByName: (name, count) =>
      format(resources.value({ ...reference(name, 'plural'), params: [count] }), [count]),
  };
  const members = {};
  for (const [name, get] of Object.entries(both)) {
    members[`${name}Sync`] = get;
    members[name] = (...args) => {
      const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
      return answer(get(...args), callback);
    };
  }
  members.getNumber = number; // these two have always been synchronous
  members.getBoolean = both.getBoolean;
  members.getConfigurationSync = () => ({
    direction: 0,
    locale: 'en_US',
    deviceType: 0,
    screenDensity: 480,
    colorMode: 1,
  });
  return openObject('resourceManager', members, app);
}

export const localization = (app) => ({
  i18n: openObject(
    'i18n',
    {
      System: openObject(
        'i18n.System',
        {
          getSystemLanguage: () => 'en',
          getSystemRegion: () => 'US',
          getSystemLocale: () => 'en-US',
          is24HourClock: () => true,
          getAppPreferredLanguage: () => 'en',
        },
        app,
      ),
      getSystemLanguage: () => 'en',
      is24HourClock: () => true,
      isRTL: () => false,
    },
    app,
  ),
  intl: openObject(
    'intl',
    {
      DateTimeFormat: Intl.DateTimeFormat,
      NumberFormat: Intl.NumberFormat,
      Collator: Intl.Collator,
      PluralRules: Intl.PluralRules,
      RelativeTimeFormat: Intl.RelativeTimeFormat,
    },
    app,
  ),
  resourceManager: openObject('resourceManager', {}, app),
});
