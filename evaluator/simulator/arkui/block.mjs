// The form in which the code of a source file is run; the compiler tries it, the app runs it.

/** Code in a scope of its own, where it may declare what the platform has a name for. */
export const asBlock = (code) => `'use strict'; (() => { ${code}\n})();`;
