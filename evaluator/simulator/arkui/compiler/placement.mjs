// Decorators that belong to a struct, or to members of one kind of struct, and stand elsewhere.

import { decoratorsOf, finding, ts } from './language.mjs';

const ONLY_STRUCT = '10905337';
export const COMPONENT_DECORATORS = [
  ...['Component', 'ComponentV2', 'CustomDialog'],
  ...['Entry', 'Preview', 'Reusable', 'ReusableV2'],
];
const ONLY_NEWER = '10905338';
const ONLY_OLDER = '10905339';
const OLDER = [
  ...['State', 'Prop', 'Link', 'ObjectLink', 'Provide', 'Consume', 'Watch'],
  ...['StorageLink', 'StorageProp', 'LocalStorageLink', 'LocalStorageProp'],
];
const NEWER = ['Local', 'Param', 'Once', 'Event', 'Provider', 'Consumer'];
const MEMBER_DECORATORS = [...OLDER, ...NEWER, 'BuilderParam'];
// These stand in classes too.
const NEWER_IN_STRUCTS = [...NEWER, 'Monitor', 'Computed'];

/** Every such decorator of a parsed file; names that the file has of its own are apart. */
export function placementErrors(source, declarations) {
  const found = [];
  const { imports, plainFunctions } = declarations.byFile.get(source.fileName);
  const check = (node, names, code = ONLY_STRUCT, place = "with 'struct'") => {
    const written = decoratorsOf(node, source);
    for (const name of names)
      if (written.has(name) && !imports.has(name) && !plainFunctions.has(name))
        found.push(
          finding(source, node, code, `The '@${name}' decorator can only be used ${place}.`),
        );
  };
  const checkStruct = (node) => {
    const isNewer = decoratorsOf(node, source).has('ComponentV2');
    const [names, code, kind] = isNewer
      ? [OLDER, ONLY_OLDER, 'Component']
      : [NEWER_IN_STRUCTS, ONLY_NEWER, 'ComponentV2'];
    for (const member of node.members.filter((each) => !each.virtual))
      check(member, names, code, `in a 'struct' decorated with '@${kind}'`);
  };
  const visit = (node) => {
    if (node.virtual) return;
    if (node.kind === ts.SyntaxKind.StructDeclaration) checkStruct(node);
    else if (ts.isClassDeclaration(node)) {
      check(node, COMPONENT_DECORATORS);
      for (const member of node.members) check(member, MEMBER_DECORATORS);
    } else if (ts.isFunctionDeclaration(node) || ts.isEnumDeclaration(node))
      check(node, COMPONENT_DECORATORS);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
