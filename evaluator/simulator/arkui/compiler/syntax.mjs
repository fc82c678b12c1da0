// Errors in the form of a source file: its grammar, and what may stand in a UI block.

import { decoratorsOf, finding, ts } from './language.mjs';
import { isBuilder } from './declared.mjs';
import { checkNesting, componentName } from './nesting.mjs';
import { COMPONENT_DECORATORS, placementErrors } from './placement.mjs';

const K = ts.SyntaxKind;
const COMPILER_ERROR = '10505001';
const UI_ONLY = '10905209';
const ONE_ENTRY = '10905402';
const ROUTER_CALLS = new Set(['pushUrl', 'replaceUrl', 'loadContent']);
const EACH = new Set(['ForEach', 'LazyForEach', 'Repeat']);
/** The nodes that name the files a parsed file imports or exports from. */
export const moduleNames = (source) =>
  source.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .flatMap((node) => node.moduleSpecifier ?? []);

/** Grammar errors of one parsed file, each place once. */
export function grammarErrors(source) {
  const seen = new Set();
  const parsed = source.parseDiagnostics.map((each) => [
    each.start,
    ts.flattenDiagnosticMessageText(each.messageText, ' '),
  ]);
  const named = moduleNames(source)
    .filter((name) => !ts.isStringLiteral(name))
    .map((name) => [name, 'String literal expected.']);
  const nameless = source.statements
    .filter((node) => node.kind === K.StructDeclaration && !node.name)
    .map((node) => [node, 'A struct must have a name.']);
  return [...parsed, ...named, ...nameless]
    .map(([place, message]) => finding(source, place, COMPILER_ERROR, message))
    .filter((each) => {
      const key = `${each.line}:${each.column}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** Rules of ArkUI on structs and UI blocks. */
export function uiErrors(source, declarations) {
  const found = [];
  const report = (node, code, message) => found.push(finding(source, node, code, message));
  const context = { report, declarations, fileName: source.fileName };
  for (const node of source.statements) {
    if (node.kind === K.StructDeclaration) checkStruct(node, source, context);
    else if (
      ts.isFunctionDeclaration(node) &&
      node.body &&
      decoratorsOf(node, source).has('Builder')
    )
      checkBlock(node.body, source, context);
  }
  return [...found, ...placementErrors(source, declarations)];
}

function checkStruct(node, source, context) {
  const decorators = decoratorsOf(node, source);
  const name = node.name.text;
  const members = node.members.filter((each) => !each.virtual);
  if (!COMPONENT_DECORATORS.some((each) => decorators.has(each))) {
    context.report(
      node.name,
      '10905244',
      `Decorator '@Component', '@ComponentV2', or '@CustomDialog' is missing for struct '${name}'.`,
    );
  }
  const builds = members.filter(
    (each) => ts.isMethodDeclaration(each) && each.name.getText(source) === 'build',
  );
  if (builds.length !== 1)
    context.report(
      node.name,
      '10905401',
      `The struct '${name}' must have one and only one 'build' method; it has ${builds.length}.`,
    );
  const inStruct = { ...context, members, structName: name };
  for (const build of builds) {
    checkRoot(build, source, decorators, inStruct);
    checkBlock(build.body, source, inStruct);
  }
  for (const each of members)
    if (ts.isMethodDeclaration(each) && each.body && isBuilder(each, source))
      checkBlock(each.body, source, inStruct);
}

/** `build()` of a page holds exactly one container. */
function checkRoot(build, source, decorators, { report }) {
  const statements = build.body?.statements ?? [];
  if (statements.length > 1 && decorators.has('Entry')) {
    report(
      statements[1],
      '10905210',
      "In an '@Entry' decorated component, the 'build' method can have only one root node, which must be a container component.",
    );
  }
}

function rootOf(expression) {
  let root = expression;
  while (root.kind === K.CallExpression && root.expression.kind === K.PropertyAccessExpression)
    root = root.expression.expression;
  return root;
}

function checkBlock(block, source, context) {
  for (const statement of block?.statements ?? []) checkStatement(statement, source, context);
}

function checkStatement(statement, source, context) {
  if (statement.kind === K.IfStatement) {
    for (const branch of [statement.thenStatement, statement.elseStatement]) {
      if (branch) (branch.kind === K.Block ? checkBlock : checkStatement)(branch, source, context);
    }
    return;
  }
  if (statement.kind === K.EmptyStatement) return;
  if (statement.kind !== K.ExpressionStatement || !isUi(statement.expression, source, context)) {
    const text = statement.getText(source).split('\n')[0].slice(0, 80);
    context.report(statement, UI_ONLY, `'${text}' does not meet UI component syntax.`);
    return;
  }
  const root = rootOf(statement.expression);
  checkNesting(root, context, countOf);
  const repeats = root.kind === K.CallExpression && EACH.has(root.expression.text);
  const inside = repeats ? context : { ...context, parent: root };
  for (const body of bodiesOf(statement.expression)) checkBlock(body, source, inside);
}

/** How many components a block can make at once; a loop counts as two. */
const countOf = (block) =>
  (block?.statements ?? []).reduce((sum, statement) => sum + countIn(statement), 0);

function countIn(statement) {
  if (!statement) return 0;
  if (statement.kind === K.Block) return countOf(statement);
  if (statement.kind === K.IfStatement)
    return Math.max(countIn(statement.thenStatement), countIn(statement.elseStatement));
  if (statement.kind !== K.ExpressionStatement) return 0;
  const root = rootOf(statement.expression);
  if (root.kind === K.CallExpression && EACH.has(root.expression.text)) return 2;
  return componentName(root) === null ? 0 : 1;
}

/** Is the expression a component, or a call that can build one? */
function isUi(expression, source, { members = [], declarations }) {
  const root = rootOf(expression);
  if (root.kind === K.EtsComponentExpression) return true;
  if (root.kind === K.CallExpression && root.expression.kind === K.Identifier) {
    const name = root.expression.text;
    if (EACH.has(name)) return true;
    if (declarations.kindOf(source.fileName, name) !== null) return true;
    return !declarations.byFile.get(source.fileName).plainFunctions.has(name);
  }
  if (expression.kind !== K.CallExpression) return false;
  const callee = expression.expression;
  if (callee.kind === K.PropertyAccessExpression && callee.expression.kind === K.ThisKeyword) {
    const member = members.find((each) => each.name?.getText(source) === callee.name.text);
    return !member || !ts.isMethodDeclaration(member) || isBuilder(member, source);
  }
  return (
    callee.kind === K.PropertyAccessExpression && callee.expression.getText(source) !== 'console'
  );
}

/** The UI blocks inside one UI expression. */
function bodiesOf(expression) {
  const found = [];
  for (
    let at = expression;
    at;
    at =
      at.kind === K.CallExpression && at.expression.kind === K.PropertyAccessExpression
        ? at.expression.expression
        : null
  ) {
    if (at.kind === K.EtsComponentExpression && at.body) found.push(at.body);
    const callbacks = at.kind === K.CallExpression && isLoop(at) ? at.arguments : [];
    for (const each of callbacks)
      if (each.kind === K.ArrowFunction && each.body.kind === K.Block && isItemBuilder(at, each))
        found.push(each.body);
  }
  return found;
}

const isLoop = (call) =>
  call.expression.kind === K.Identifier
    ? ['ForEach', 'LazyForEach'].includes(call.expression.text)
    : ['each', 'template'].includes(call.expression.name?.text) &&
      rootOf(call).expression?.text === 'Repeat';
const isItemBuilder = (call, argument) =>
  call.expression.kind !== K.Identifier || call.arguments[1] === argument;

/** A page must have one `@Entry` struct. */
export function pageErrors(source) {
  const entries = source.statements.filter(
    (each) => each.kind === K.StructDeclaration && decoratorsOf(each, source).has('Entry'),
  );
  if (entries.length === 1) return [];
  return [
    finding(
      source,
      entries[1] ?? 0,
      ONE_ENTRY,
      "A page configured in 'main_pages.json' must have one and only one '@Entry' decorator with a struct.",
    ),
  ];
}

/** Literal page urls that the router or the window is asked for. */
export function pageUses(source) {
  const found = [];
  const visit = (node) => {
    const name =
      ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
        ? node.expression.name.text
        : '';
    if (ROUTER_CALLS.has(name)) {
      const [first] = node.arguments;
      const url =
        first && ts.isObjectLiteralExpression(first)
          ? first.properties.find((each) => each.name?.getText(source) === 'url')?.initializer
          : first;
      if (url && ts.isStringLiteralLike(url))
        found.push({ url: url.text, place: finding(source, url, '', '') });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Every `$r('...')` and `$rawfile('...')` with a literal name. */
export function resourceUses(source) {
  const found = [];
  const visit = (node) => {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      ['$r', '$rawfile'].includes(node.expression.text)
    ) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteralLike(argument))
        found.push({
          kind: node.expression.text,
          name: argument.text,
          place: finding(source, argument, '', ''),
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
