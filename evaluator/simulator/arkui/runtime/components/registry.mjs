// What the simulated components are and do. A component that is not listed is drawn as a
// plain box and reported.

import { containers } from './containers.mjs';
import { texts } from './texts.mjs';
import { inputs } from './inputs.mjs';
import { choices } from './choices.mjs';
import { paging } from './paging.mjs';
import { navigation } from './navigation.mjs';
import { overlays } from './overlays.mjs';
import { attributes } from './attributes.mjs';

const BEHAVIORS = {
  ...containers,
  ...texts,
  ...inputs,
  ...choices,
  ...paging,
  ...navigation,
  ...overlays,
};
const UNKNOWN = { layout: 'stack' };

/** The behavior of a component; unknown ones are reported through `notSimulated`. */
export function behaviorOf(type, notSimulated) {
  const found = BEHAVIORS[type];
  if (!found) notSimulated(type);
  return found ?? UNKNOWN;
}

/** Every attribute that some component is known to have. */
export function knownAttributes() {
  return new Set([
    ...attributes,
    ...Object.values(BEHAVIORS).flatMap((each) => each.handles ?? []),
  ]);
}

/** Report the attributes of an element whose effect would be missed. */
export function checkAttributes(element, notSimulated) {
  for (const name of element.attributes.keys()) {
    if (!attributes.has(name) && !element.behavior.handles?.includes(name))
      notSimulated(`${element.type}.${name}`);
  }
}
