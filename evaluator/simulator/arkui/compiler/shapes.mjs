// What the passes after the grammar rely on, and TypeScript lets pass: each source either
// has these shapes or is refused here, so that nothing a project says upsets the tool.

import { decoratorsOf, finding, ts } from './language.mjs';

const K = ts.SyntaxKind;
const COMPILER_ERROR = '10505001';
const UI_ONLY = '10905209';
const LOOPS = { ForEach: [2, 4], LazyForEach: [2, 4], Repeat: [1, 1] };
const UI_METHODS = ['Builder', 'LocalBuilder', 'Styles', 'Extend', 'AnimatableExtend'];
const STYLE_METHODS = ['Styles', 'Extend', 'AnimatableExtend'];

/** Every departure of a parsed file from these shapes. */
export function shapeErrors(source) {
  const found = [];
  const report = (node, message, code = COMPILER_ERROR) =>
    found.push(finding(source, node, code, message));
  const visit = (node) => {
    if (node.virtual) return;
    checks[node.kind]?.(node, source, report);
    for (const decorator of [...(node.illegalDecorators ?? []), ...(node.modifiers ?? [])])
      if (decorator.kind === K.Decorator) checkDecorator(decorator, report);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const checks = {
  [K.StructDeclaration]: (node, source, report) => {
    for (const each of node.members ?? [])
      if (ts.isMethodDeclaration(each) && !each.body && each.name.getText(source) === 'build')
        lacksBody(each, report);
  },
  [K.MethodDeclaration]: checkUiFunction,
  [K.FunctionDeclaration]: checkUiFunction,
  [K.CallExpression]: checkCall,
  [K.NonNullExpression]: (node, source, report) => {
    if (node.expression.kind !== K.NonNullExpression) return;
    if (!isTarget(node.expression.expression))
      report(node, "The operand of '!!' must be a variable or a property access.");
  },
  [K.RegularExpressionLiteral]: (node, source, report) => {
    const end = node.text.lastIndexOf('/');
    try {
      new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      report(node, `${error.message}.`);
    }
  },
};

const lacksBody = (node, report) =>
  report(
    node.name ?? node,
    'Function implementation is missing or not immediately following the declaration.',
  );

const isTarget = (node) =>
  ts.isIdentifier(node) ||
  ts.isPropertyAccessExpression(node) ||
  ts.isElementAccessExpression(node);

function checkDecorator(decorator, report) {
  const call = decorator.expression;
  const name = ts.isCallExpression(call) ? call.expression : call;
  if (!ts.isIdentifier(name) && !ts.isPropertyAccessExpression(name))
    report(decorator, 'A decorator must be a name, or a call of one.');
}

function checkUiFunction(node, source, report) {
  const decorators = decoratorsOf(node, source);
  if (!UI_METHODS.some((name) => decorators.has(name))) return;
  if (!node.body) return lacksBody(node, report);
  if (!STYLE_METHODS.some((name) => decorators.has(name))) return;
  for (const statement of node.body.statements) {
    if (statement.kind === K.EmptyStatement || isAttributeChain(statement)) continue;
    const text = statement.getText(source).split('\n')[0].slice(0, 80);
    report(statement, `'${text}' does not meet UI component syntax.`, UI_ONLY);
  }
}

const isAttributeChain = (statement) =>
  statement.kind === K.ExpressionStatement &&
  ts.isCallExpression(statement.expression) &&
  ts.isPropertyAccessExpression(statement.expression.expression);

function checkCall(node, source, report) {
  const callee = node.expression;
  if (ts.isIdentifier(callee) && Object.hasOwn(LOOPS, callee.text)) {
    const [least, most] = LOOPS[callee.text];
    const count = node.arguments.length;
    const wanted = least === most ? least : `${least}-${most}`;
    if (count < least || count > most)
      report(node, `Expected ${wanted} arguments, but got ${count}.`);
    else if (node.arguments.some((each) => ts.isSpreadElement(each)))
      report(node, `A spread argument is not taken by '${callee.text}'.`);
  }
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'stateStyles')
    checkStateStyles(node, report);
}

function checkStateStyles(node, report) {
  const [states] = node.arguments;
  if (states?.kind !== K.ObjectLiteralExpression) {
    if (isAttributeOfComponent(node))
      report(states ?? node, "'stateStyles' takes an object with a style for each state.");
    return;
  }
  for (const state of states.properties) {
    const isStyle =
      ts.isPropertyAssignment(state) &&
      (state.initializer.kind !== K.ObjectLiteralExpression ||
        state.initializer.properties.every((each) => each.initializer));
    if (!isStyle) report(state, "'stateStyles' takes a style for each state.");
  }
}

function isAttributeOfComponent(call) {
  let root = call;
  while (ts.isCallExpression(root) && ts.isPropertyAccessExpression(root.expression))
    root = root.expression.expression;
  return root.kind === K.EtsComponentExpression;
}
