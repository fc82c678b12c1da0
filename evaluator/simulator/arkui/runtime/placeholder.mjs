// Stands for something of the platform that is not simulated. Holding it is harmless;
// using it is reported.

/** A value that reports `name` as soon as it is called, constructed or read from. */
export function placeholder(name, report, { isResult = false } = {}) {
  const use = (more) => {
    report(name + more);
    return placeholder(name + more, report, { isResult: true });
  };
  return new Proxy(function notSimulated() {}, {
    get(_target, key) {
      if (key === '$placeholder') return name;
      if (key === 'then' && isResult) return () => use('.then'); // a promise that nothing ever fulfills
      if (
        typeof key === 'symbol' ||
        [
          'then',
          '$isResource',
          '$isTwoWay',
          'prototype',
          '$isComponent',
          '$isScroller',
          'toJSON',
          'nodeType',
        ].includes(key)
      )
        return undefined;
      return use(`.${key}`);
    },
    apply: () => use(''),
    construct: () => use(''),
    has: () => true,
  });
}
