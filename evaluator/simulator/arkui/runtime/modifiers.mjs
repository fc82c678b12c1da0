// `.attributeModifier(...)` and `.stateStyles(...)`: attributes from elsewhere.

/** Collects the attributes that a modifier sets on its component. */
function recorder(found) {
  const proxy = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...values) => {
          found.set(name, values);
          return proxy;
        },
    },
  );
  return proxy;
}

/** Add the attributes of a modifier and of the state an element is in. */
export function applyModifier(element) {
  const states = element.attribute('stateStyles');
  if (states) {
    const isOff = element.attribute('enabled') === false;
    const list = (isOff && states.disabled ? states.disabled : states.normal)?.() ?? [];
    for (const [name, values] of list) if (!element.has(name)) element.attributes.set(name, values);
  }
  const modifier = element.attribute('attributeModifier');
  if (modifier) {
    const found = new Map();
    const instance = recorder(found);
    modifier.applyNormalAttribute?.(instance);
    for (const [name, values] of found) element.attributes.set(name, values);
  }
}
