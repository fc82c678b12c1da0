// Errors that the project's own code shows: names, members, arguments and types.

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { COMPILER_OPTIONS, finding, ts } from './language.mjs';
import { looksLikeArkUiType } from './names.mjs';
import { PLATFORM_FILE, platformText } from './platform.mjs';
import { ruleErrors } from './rules.mjs';

const COMPILER_ERROR = '10505001';

// Diagnostics of the checker that do not depend on what the platform declares.
const CERTAIN = new Set([
  2300, 2304, 2305, 2307, 2310, 2314, 2322, 2339, 2345, 2349, 2353, 2355, 2362, 2363, 2365, 2366,
  2367, 2377, 2378, 2391, 2393, 2395, 2416, 2420, 2441, 2451, 2454, 2456, 2480, 2488, 2503, 2506,
  2511, 2515, 2531, 2532, 2533, 2540, 2551, 2552, 2554, 2555, 2561, 2564, 2588, 2613, 2614, 2678,
  2693, 2695, 2724, 2739, 2740, 2741, 2769, 18004, 18047, 18048, 18049,
]);
// Grammar that only the checker sees: a stray return, a constant without a value.
const GRAMMAR = { first: 1000, last: 1999 };
// Where ArkTS has decorators, and TypeScript none.
const OTHER_GRAMMAR = new Set([1206, 1207, 1219, 1238, 1239, 1240, 1241, 1270, 1271]);
const isCertain = (code) =>
  CERTAIN.has(code) || (code >= GRAMMAR.first && code <= GRAMMAR.last && !OTHER_GRAMMAR.has(code));

const UNKNOWN_NAME = new Set([2304, 2552]);

/** A program of all sources; `files` are the roots and everything they import. */
function programOf(declarations, files) {
  const options = {
    ...COMPILER_OPTIONS,
    lib: ['lib.es2021.d.ts'],
    noEmit: true,
    strict: true,
    noImplicitAny: false,
    strictPropertyInitialization: false,
    useUnknownInCatchVariables: false,
    skipLibCheck: true,
    types: [],
    noLib: false,
  };
  return ts.createProgram({
    rootNames: [PLATFORM_FILE, ...files],
    options,
    host: hostOf(declarations, options),
  });
}

const told = (source, { start, messageText }) =>
  finding(source, start, COMPILER_ERROR, ts.flattenDiagnosticMessageText(messageText, ' '));

/** Check all sources, types and rules. */
export function typeCheck(declarations, files) {
  const program = programOf(declarations, files);
  const sources = files.map((path) => declarations.sources.get(path));
  const found = sources.flatMap((source) =>
    program
      .getSemanticDiagnostics(source)
      .filter(
        (each) => isCertain(each.code) && each.start !== undefined && !isExcused(each, source),
      )
      .map((each) => told(source, each)),
  );
  return [...found, ...ruleErrors(program, sources)];
}

/**
 * Components of sources with grammar errors that nobody declares: `Colunm() { }` is no
 * component for the parser, which then stumbles over what follows.
 */
export function unknownComponents(declarations, files) {
  const program = programOf(declarations, [...declarations.sources.keys()]);
  return files.flatMap((path) => {
    const source = declarations.sources.get(path);
    return program
      .getSemanticDiagnostics(source)
      .filter((each) => UNKNOWN_NAME.has(each.code) && each.start !== undefined)
      .filter(({ start, length }) =>
        /^[A-Z]\w*\s*\($/.test(source.text.slice(start, start + length + 1)),
      )
      .map((each) => told(source, each));
  });
}

/** Names that the checker cannot know: `$name` links, `$$` bindings, types of ArkUI. */
function isExcused(diagnostic, source) {
  if (!UNKNOWN_NAME.has(diagnostic.code)) return false;
  const name = source.text.slice(diagnostic.start, diagnostic.start + diagnostic.length);
  if (!name || name.startsWith('$')) return true;
  const node =
    ts.getTokenAtPosition?.(source, diagnostic.start) ?? tokenAt(source, diagnostic.start);
  return isTypePlace(node) && looksLikeArkUiType(name);
}

function tokenAt(source, position) {
  let found = source;
  const visit = (node) => {
    if (node.getStart(source) <= position && position < node.end && !node.virtual) {
      found = node;
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return found;
}

const isTypePlace = (node) => {
  for (let at = node; at; at = at.parent) {
    if (ts.isTypeNode(at) || at.kind === ts.SyntaxKind.HeritageClause) return true;
    if (ts.isExpression(at) && at !== node) return false;
  }
  return false;
};

const fixed = new Map(); // the platform and the standard library, which never change

function fixedFile(path, host) {
  if (!fixed.has(path)) {
    const text =
      path === PLATFORM_FILE
        ? platformText()
        : isLibrary(path, host)
          ? readFileSync(path, 'utf8')
          : undefined;
    fixed.set(
      path,
      text === undefined
        ? undefined
        : ts.createSourceFile(path, text, ts.ScriptTarget.ES2021, true, ts.ScriptKind.TS),
    );
  }
  return fixed.get(path);
}

function hostOf(declarations, options) {
  const host = ts.createCompilerHost(options, true);
  return {
    ...host,
    getSourceFile: (path) => declarations.sources.get(path) ?? fixedFile(path, host),
    fileExists: (path) => path === PLATFORM_FILE || declarations.sources.has(path),
    readFile: (path) => declarations.sources.get(path)?.text,
    directoryExists: () => false,
    getDirectories: () => [],
    resolveModuleNames: (names, from) =>
      names.map((name) => {
        const path = declarations.resolve(name, from);
        return path
          ? {
              resolvedFileName: path,
              extension: path.endsWith('.ets') ? ts.Extension.Ets : ts.Extension.Ts,
              isExternalLibraryImport: false,
            }
          : undefined;
      }),
  };
}

const isLibrary = (path, host) => dirname(path) === dirname(host.getDefaultLibFileName({}));
