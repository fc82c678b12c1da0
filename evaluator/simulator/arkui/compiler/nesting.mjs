// Which built-in components may stand inside which, as the component tables of the real
// compiler have it. Only what those tables were seen to say is here: what is in neither
// passes. A component of the project itself may stand anywhere.

import { ts } from './language.mjs';
import { COMPONENTS } from './names.mjs';

const K = ts.SyntaxKind;
const WRONG_PARENT = '10905236';
const LABEL_AND_CHILD = '10905202';
const WRONG_CHILD = '10905219';
const ONE_CHILD = '10905220';
const NO_CHILD = '10905222';
const NO_CHILD_AS_SET = '10905223';

const PARENTS = {
  ListItem: ['List', 'ListItemGroup'],
  ListItemGroup: ['List'],
  GridItem: ['Grid'],
  FlowItem: ['WaterFlow'],
  TabContent: ['Tabs'],
};
const CHILDREN = {
  Text: ['Span', 'ImageSpan', 'SymbolSpan', 'ContainerSpan'],
  ContainerSpan: ['Span', 'ImageSpan'],
  List: ['ListItem', 'ListItemGroup'],
  Grid: ['GridItem'],
  Tabs: ['TabContent'],
};
const NO_CHILDREN = new Set([
  ...['Image', 'ImageSpan', 'Span', 'SymbolSpan', 'TextInput', 'TextArea', 'Search'],
  ...['Radio', 'Slider', 'Progress', 'LoadingProgress'],
]);
const SINGLE_CHILD = new Set(['Button', 'ListItem', 'Refresh']);
const MORE_THAN_ONE = 2;

/** The name of the component that a UI expression begins with; null for anything else. */
export const componentName = (root) =>
  root.kind === K.EtsComponentExpression ? root.expression.text : null;

/**
 * Complain about one component in the place where it stands. `parent` is the component
 * around it, where that is known; `countOf` tells how many components a block can make.
 */
export function checkNesting(root, context, countOf) {
  const name = builtIn(root, context);
  if (name === null) return;
  const around = context.parent ? builtIn(context.parent, context) : null;
  if (around !== null) checkPair(root, name, around, context);
  if (!root.body) return;
  if (NO_CHILDREN.has(name))
    context.report(root, NO_CHILD, `The component '${name}' can't have any child.`);
  const toggle = name === 'Toggle' ? toggleType(root) : null;
  if (toggle)
    context.report(
      root,
      NO_CHILD_AS_SET,
      `When the component 'Toggle' set 'type' as '${toggle}', it can't have any child.`,
    );
  if (name === 'Button' && root.body.statements?.length && root.arguments?.some(isLabel))
    context.report(
      root,
      LABEL_AND_CHILD,
      'The Button component with a label parameter can not have any child.',
    );
  else if (SINGLE_CHILD.has(name) && countOf(root.body) >= MORE_THAN_ONE)
    context.report(root, ONE_CHILD, `The '${name}' component can have only one child component.`);
}

function checkPair(root, name, around, { report, parent }) {
  const parents = PARENTS[name];
  if (parents && !parents.includes(around))
    report(
      root,
      WRONG_PARENT,
      `The '${name}' component can only be nested in the '${parents.join(', ')}' parent component.`,
    );
  const children = CHILDREN[around];
  if (children && !children.includes(name))
    report(
      parent,
      WRONG_CHILD,
      `The component '${around}' can only have the child component '${children.join(',')}'.`,
    );
}

/** The name, unless the project has a component of its own by it. */
function builtIn(root, { declarations, fileName }) {
  const name = componentName(root);
  return COMPONENTS.includes(name) && !declarations.kindOf(fileName, name) ? name : null;
}

const isLabel = (argument) =>
  ts.isStringLiteral(argument) ||
  (ts.isCallExpression(argument) && argument.expression.getText() === '$r');

/** The type of a Toggle that holds nothing, if that is what it is. */
const toggleType = (root) =>
  root.arguments?.[0]?.getText().match(/\btype: *ToggleType\.(Checkbox|Switch)\b/)?.[1] ?? null;
