// @kit.AbilityKit

import { openObject } from './index.mjs';

class UIAbility {
  onCreate() {}
  onDestroy() {}
  onWindowStageCreate() {}
  onWindowStageDestroy() {}
  onForeground() {}
  onBackground() {}
  onNewWant() {}
}

class AbilityStage {
  onCreate() {}
}

export const abilityKit = (app) => ({
  UIAbility,
  AbilityStage,
  AbilityConstant: openObject(
    'AbilityConstant',
    {
      LaunchReason: { UNKNOWN: 0, START_ABILITY: 1, CALL: 2, CONTINUATION: 3 },
      LastExitReason: { UNKNOWN: 0, NORMAL: 2 },
      OnContinueResult: { AGREE: 0, REJECT: 1, MISMATCH: 2 },
      MemoryLevel: { MEMORY_LEVEL_MODERATE: 0, MEMORY_LEVEL_LOW: 1, MEMORY_LEVEL_CRITICAL: 2 },
    },
    app,
  ),
  ConfigurationConstant: openObject(
    'ConfigurationConstant',
    {
      ColorMode: { COLOR_MODE_NOT_SET: -1, COLOR_MODE_DARK: 0, COLOR_MODE_LIGHT: 1 },
      Direction: { DIRECTION_NOT_SET: -1, DIRECTION_VERTICAL: 0, DIRECTION_HORIZONTAL: 1 },
    },
    app,
  ),
  common: openObject('common', {}, app),
});
