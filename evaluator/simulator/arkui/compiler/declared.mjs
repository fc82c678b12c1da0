// What each source file declares for the UI: which names are structs, builders, styles.

import { decoratorsOf, ts } from './language.mjs';

const BUILDER_DECORATORS = ['Builder', 'LocalBuilder'];

export const isBuilder = (node, source) => {
  const decorators = decoratorsOf(node, source);
  return BUILDER_DECORATORS.some((name) => decorators.has(name));
};

/** The top-level declarations of one parsed file. */
function declarationsOf(source) {
  const found = {
    structs: new Map(),
    builders: new Set(),
    styles: new Set(),
    plainFunctions: new Set(),
    imports: new Map(),
    exports: new Map(),
    stars: [],
  };
  for (const node of source.statements) {
    const modifiers = (node.modifiers ?? []).map((each) => each.kind);
    if (node.name && modifiers.includes(ts.SyntaxKind.ExportKeyword)) {
      const isDefault = modifiers.includes(ts.SyntaxKind.DefaultKeyword);
      found.exports.set(isDefault ? 'default' : node.name.text, { local: node.name.text });
    }
    if (node.kind === ts.SyntaxKind.StructDeclaration) found.structs.set(node.name.text, node);
    else if (ts.isFunctionDeclaration(node) && node.name) {
      const decorators = decoratorsOf(node, source);
      if (decorators.has('Builder')) found.builders.add(node.name.text);
      else if (['Extend', 'AnimatableExtend', 'Styles'].some((name) => decorators.has(name)))
        found.styles.add(node.name.text);
      else found.plainFunctions.add(node.name.text);
    } else if (ts.isImportDeclaration(node)) addImports(node, found);
    else if (ts.isExportDeclaration(node)) addExports(node, found);
    else if (ts.isExportAssignment(node) && ts.isIdentifier(node.expression)) {
      found.exports.set('default', { local: node.expression.text });
    }
  }
  return found;
}

function addImports(node, found) {
  const from = node.moduleSpecifier.text;
  const clause = node.importClause;
  if (clause?.name) found.imports.set(clause.name.text, { from, name: 'default' });
  if (clause?.namedBindings && ts.isNamedImports(clause.namedBindings)) {
    for (const each of clause.namedBindings.elements) {
      found.imports.set(each.name.text, { from, name: (each.propertyName ?? each.name).text });
    }
  }
}

function addExports(node, found) {
  const from = node.moduleSpecifier?.text;
  if (!node.exportClause) found.stars.push(from);
  else if (ts.isNamedExports(node.exportClause)) {
    for (const each of node.exportClause.elements) {
      const name = (each.propertyName ?? each.name).text;
      found.exports.set(each.name.text, from ? { from, name } : { local: name });
    }
  }
}

/** All source files of a project, parsed, with the UI meaning of every imported name. */
export class Declarations {
  /** `sources` are parsed files by path; `resolve(specifier, path)` finds a project file or null. */
  constructor(sources, resolve) {
    this.resolve = resolve;
    this.sources = sources;
    this.byFile = new Map(
      [...this.sources].map(([path, source]) => [path, declarationsOf(source)]),
    );
  }

  /** Tell what `name` is in the file: 'struct', 'builder' or null. */
  kindOf(path, name, seen = new Set()) {
    const here = this.byFile.get(path);
    if (!here || seen.has(`${path}:${name}`)) return null;
    seen.add(`${path}:${name}`);
    if (here.structs.has(name)) return 'struct';
    if (here.builders.has(name)) return 'builder';
    const imported = here.imports.get(name);
    if (!imported) return null;
    const target = this.resolve(imported.from, path);
    return target ? this.kindOfExport(target, imported.name, seen) : null;
  }

  kindOfExport(path, name, seen) {
    const here = this.byFile.get(path);
    const exported = here?.exports.get(name);
    if (exported?.local) return this.kindOf(path, exported.local, seen);
    if (exported) {
      const target = this.resolve(exported.from, path);
      return target ? this.kindOfExport(target, exported.name, seen) : null;
    }
    for (const from of here?.stars ?? []) {
      const target = this.resolve(from, path);
      const kind = target && this.kindOfExport(target, name, seen);
      if (kind) return kind;
    }
    return null;
  }
}
