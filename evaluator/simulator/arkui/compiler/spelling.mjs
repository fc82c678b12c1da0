// Misspelled attributes. A name that is merely unknown may be a newer one and passes;
// a name that is one slip away from a known one does not.

import { knownAttributes } from '../runtime/components/registry.mjs';
import { decoratorsOf, finding, ts } from './language.mjs';

const COMPILER_ERROR = '10505001';
const SHORTEST = 5; // shorter names are too close to one another

/** Is `b` made from `a` by one changed, missing, added or swapped letter? */
function isOneSlipAway(a, b) {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (
    (restA.length <= 1 && restB.length <= 1) ||
    (restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0])
  );
}

/** Attributes that are written almost, but not quite, like a known one. */
export function attributeErrors(source) {
  const own = ownStyles(source);
  const known = knownAttributes();
  const found = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      const component = componentOf(node);
      if (
        component &&
        !known.has(name.text) &&
        !own.has(name.text) &&
        name.text.length >= SHORTEST
      ) {
        const meant = [...known].find((each) => isOneSlipAway(name.text, each));
        if (meant)
          found.push(
            finding(
              source,
              name,
              COMPILER_ERROR,
              `Property '${name.text}' does not exist on type '${component}Attribute'. Did you mean '${meant}'?`,
            ),
          );
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The component at the root of a chain of attributes, or null. */
function componentOf(call) {
  let root = call;
  while (ts.isCallExpression(root) && ts.isPropertyAccessExpression(root.expression))
    root = root.expression.expression;
  return root.kind === ts.SyntaxKind.EtsComponentExpression ? root.expression.text : null;
}

/** Names of `@Extend` and `@Styles` functions and methods of the file. */
function ownStyles(source) {
  const found = new Set();
  const look = (node) => {
    const decorators = decoratorsOf(node, source);
    if (node.name && ['Extend', 'AnimatableExtend', 'Styles'].some((name) => decorators.has(name)))
      found.add(node.name.getText(source));
  };
  for (const node of source.statements) {
    look(node);
    for (const member of node.members ?? []) if (!member.virtual) look(member);
  }
  return found;
}
