// The ArkTS dialect: parser options of the compiler's own TypeScript fork.

import { createRequire } from 'node:module';
import { COMPONENTS } from './names.mjs';

// Loaded as what it is: an import would first search its ten megabytes for exports.
const ts = createRequire(import.meta.url)('ohos-typescript');

export const ETS_OPTIONS = {
  render: { method: ['build', 'pageTransition'], decorator: ['Builder', 'LocalBuilder'] },
  components: COMPONENTS,
  libs: [],
  extend: {
    decorator: ['Extend', 'AnimatableExtend'],
    components: COMPONENTS.map((name) => ({
      name,
      type: `${name}Attribute`,
      instance: `${name}Instance`,
    })),
  },
  styles: {
    decorator: 'Styles',
    component: { name: 'Common', type: 'T', instance: 'CommonInstance' },
    property: 'stateStyles',
  },
  customComponent: 'CustomComponent',
  propertyDecorators: [],
  emitDecorators: [],
  syntaxComponents: {
    paramsUICallback: ['ForEach', 'LazyForEach'],
    attrUICallback: [{ name: 'Repeat', attributes: ['each', 'template'] }],
  },
};

export const COMPILER_OPTIONS = {
  ets: ETS_OPTIONS,
  target: ts.ScriptTarget.ES2021,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.NodeJs,
  experimentalDecorators: true,
  useDefineForClassFields: false,
};

export function parse(path, text) {
  const kind = path.endsWith('.ets') ? ts.ScriptKind.ETS : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2021, true, kind, {
    ets: ETS_OPTIONS,
  });
  source.externalModuleIndicator ??= true; // a file without imports is a module all the same
  return source;
}

/** Names of the decorators on a node with the text of their arguments, in source order. */
export function decoratorsOf(node, source) {
  const found = new Map();
  const written = [...(node.illegalDecorators ?? []), ...(node.modifiers ?? [])];
  for (const decorator of written.filter((each) => each.kind === ts.SyntaxKind.Decorator)) {
    const call = decorator.expression;
    const bare = call.kind === ts.SyntaxKind.CallExpression ? call.expression : call;
    found.set(bare.getText(source), call.arguments ?? []);
  }
  return found;
}

/** A finding with its place; lines and columns count from 1. */
export function finding(source, node, code, message) {
  const start = typeof node === 'number' ? node : node.getStart(source);
  const at = source.getLineAndCharacterOfPosition(Math.min(start, source.end));
  return { code, message, file: source.fileName, line: at.line + 1, column: at.character + 1 };
}

export { ts };
