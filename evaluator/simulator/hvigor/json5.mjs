// JSON5 through the parser of the language: every JSON5 text is an expression of it.

import { finding, ts } from '../arkui/compiler/language.mjs';

const K = ts.SyntaxKind;

/**
 * Parse a JSON5 text. Returns `{ value, findings, at }`; `at(...path)` is the place of
 * a key, or of the nearest one above that exists.
 */
export function parseJson5(path, text) {
  try {
    return parse(path, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const start = { file: path, line: 1, column: 1 };
    const findings = [{ ...start, code: '', message: 'The values are nested too deep.' }];
    return { value: undefined, findings, at: () => start };
  }
}

function parse(path, text) {
  const source = ts.createSourceFile(
    path,
    `(${text}\n)`,
    ts.ScriptTarget.ES2021,
    true,
    ts.ScriptKind.JS,
  );
  source.fileName = path;
  const findings = [];
  const places = new Map();
  const report = (node, message) => findings.push(place(finding(source, node, '', message)));
  for (const each of source.parseDiagnostics)
    report(each.start, ts.flattenDiagnosticMessageText(each.messageText, ' '));
  const [statement, ...more] = source.statements;
  if (
    !findings.length &&
    (more.length || statement?.expression?.kind !== K.ParenthesizedExpression)
  ) {
    report(more[0] ?? 0, 'A single JSON5 value is expected.');
  }
  const value = findings.length
    ? undefined
    : read(statement.expression.expression, [], { report, places });
  const at = (...keys) => {
    for (let depth = keys.length; depth >= 0; depth--) {
      const node = places.get(keys.slice(0, depth).join('\u0000'));
      if (node) return place(finding(source, node, '', ''));
    }
    return { file: path, line: 1, column: 1 };
  };
  return { value: findings.length ? undefined : value, findings, at };
}

/** The bracket that we put in front moves the first line by one column. */
function place(found) {
  return found.line === 1 ? { ...found, column: Math.max(1, found.column - 1) } : found;
}

function read(node, keys, context) {
  context.places.set(keys.join('\u0000'), node);
  switch (node.kind) {
    case K.ObjectLiteralExpression:
      return readObject(node, keys, context);
    case K.ArrayLiteralExpression:
      return node.elements.map((each, index) => read(each, [...keys, index], context));
    case K.StringLiteral:
    case K.NoSubstitutionTemplateLiteral:
      return node.text;
    case K.NumericLiteral:
      return Number(node.text);
    case K.TrueKeyword:
      return true;
    case K.FalseKeyword:
      return false;
    case K.NullKeyword:
      return null;
    case K.PrefixUnaryExpression:
      return node.operator === K.MinusToken
        ? -read(node.operand, keys, context)
        : read(node.operand, keys, context);
    default:
      context.report(
        node,
        `Unexpected ${JSON.stringify(node.getText().slice(0, 40))}: strings need quotes.`,
      );
      return undefined;
  }
}

function readObject(node, keys, context) {
  const value = Object.create(null); // a key may have any name
  for (const property of node.properties) {
    if (
      property.kind !== K.PropertyAssignment ||
      !(
        ts.isIdentifier(property.name) ||
        ts.isStringLiteral(property.name) ||
        ts.isNumericLiteral(property.name)
      )
    ) {
      context.report(
        property,
        `Unexpected ${JSON.stringify(property.getText().slice(0, 40))}: "key": value is expected.`,
      );
      continue;
    }
    const key = property.name.text;
    value[key] = read(property.initializer, [...keys, key], context);
  }
  return value;
}
