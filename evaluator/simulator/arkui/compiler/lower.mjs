// Turns one ArkTS file into JavaScript: structs become classes, UI blocks become calls
// of the runtime (`$ui`), types go away. The text between is kept as it was written.

import { compileFunction } from 'node:vm';

import { asBlock } from '../block.mjs';
import { isBuilder } from './declared.mjs';
import { COMPILER_OPTIONS, decoratorsOf, ts } from './language.mjs';
import { UiLowering } from './lower-ui.mjs';

const K = ts.SyntaxKind;

// These decorators exist at run time; all others are read from the syntax tree.
const RUNTIME_DECORATORS = new Set([
  'Observed',
  'ObservedV2',
  'Track',
  'Trace',
  'Monitor',
  'SyncMonitor',
  'Computed',
]);

class Lowering extends UiLowering {
  special(node) {
    switch (node.kind) {
      case K.StructDeclaration:
        return this.struct(node);
      case K.FunctionDeclaration:
        return this.functionDeclaration(node);
      case K.Decorator:
        return this.decorator(node);
      default:
        return super.special(node);
    }
  }

  decorator(node) {
    const call = node.expression;
    const name = (call.kind === K.CallExpression ? call.expression : call).getText(this.source);
    return RUNTIME_DECORATORS.has(name) ? this.splice(node) : '';
  }

  functionDeclaration(node) {
    const decorators = decoratorsOf(node, this.source);
    const isStyle = ['Extend', 'AnimatableExtend', 'Styles'].some((name) => decorators.has(name));
    if (!isStyle && !decorators.has('Builder') && !node.illegalDecorators) return null;
    const words = (node.modifiers ?? [])
      .filter((each) => each.kind !== K.Decorator)
      .map((each) => each.getText(this.source));
    const parameters = node.parameters
      .filter((each) => !each.virtual)
      .map((each) => this.render(each))
      .join(', ');
    const body = isStyle
      ? this.styleBody(node.body)
      : decorators.has('Builder')
        ? this.uiBlock(node.body)
        : this.render(node.body);
    return `${words.join(' ')} function ${node.name.text}(${parameters}) ${body}`;
  }

  struct(node) {
    const outer = this.current;
    const written = node.members.filter((each) => !each.virtual);
    this.current = this.namesOf(written);
    const fields = written.filter((each) => ts.isPropertyDeclaration(each) && !this.isStatic(each));
    const others = written.filter((each) => !fields.includes(each));
    const decorators = decoratorsOf(node, this.source);
    const words = (node.modifiers ?? [])
      .filter((each) => each.kind !== K.Decorator)
      .map((each) => each.getText(this.source));
    const lines = [
      `${words.join(' ')} class ${node.name.text} extends $ui.Component {`,
      `static $about = ${this.about(node, { fields, written, decorators })};`,
      `$initial() { return { ${fields.map((each) => this.initial(each)).join(', ')} }; }`,
      ...others.map((each) => this.member(each)),
      '}',
    ];
    this.current = outer;
    if (decorators.has('Entry')) lines.push(`$entry(${node.name.text});`);
    return lines.join('\n');
  }

  /** The members of a struct by what they are for. */
  namesOf(members) {
    const has = (each, name) => decoratorsOf(each, this.source).has(name);
    const named = (test) =>
      new Set(members.filter(test).map((each) => each.name?.getText(this.source)));
    return {
      builders: named((each) => ts.isMethodDeclaration(each) && isBuilder(each, this.source)),
      params: named((each) => ts.isPropertyDeclaration(each) && has(each, 'BuilderParam')),
      styles: named((each) => ts.isMethodDeclaration(each) && has(each, 'Styles')),
      variables: named((each) => ts.isPropertyDeclaration(each)),
    };
  }

  /** What the runtime wants to know of a struct: an object of decorators. */
  about(node, { fields, written, decorators }) {
    const variables = fields.map(
      (each) => `${this.key(each)}: ${this.decoratorTable(decoratorsOf(each, this.source))}`,
    );
    const parts = [
      `name: ${JSON.stringify(node.name.text)}`,
      `decorators: ${this.decoratorTable(decorators)}`,
      `variables: { ${variables.join(', ')} }`,
      `methods: { ${this.methodTable(written)} }`,
      `controller: ${this.controllerName(fields)}`,
    ];
    return `{ ${parts.join(', ')} }`;
  }

  /** The initial value of a variable, computed when a component is made. */
  initial(field) {
    const value = field.initializer ? `() => (${this.render(field.initializer)})` : 'undefined';
    return `${this.key(field)}: ${value}`;
  }

  /** A dialog is given its controller in the variable of that type. */
  controllerName(fields) {
    const field = fields.find((each) =>
      each.type?.getText(this.source).startsWith('CustomDialogController'),
    );
    return field && !field.initializer ? JSON.stringify(this.key(field)) : 'null';
  }

  /** Decorated methods that the runtime must know of (`@Monitor`, `@Computed`, `@LocalBuilder`). */
  methodTable(members) {
    return members
      .filter((each) => !ts.isPropertyDeclaration(each) && each.name)
      .map((each) => [each, decoratorsOf(each, this.source)])
      .filter(
        ([, decorators]) =>
          decorators.size && !decorators.has('Styles') && !decorators.has('Builder'),
      )
      .map(([each, decorators]) => `${this.key(each)}: ${this.decoratorTable(decorators)}`)
      .join(', ');
  }

  decoratorTable(decorators) {
    const entries = [...decorators].map(
      ([name, args]) => `${name}: [${args.map((each) => this.render(each)).join(', ')}]`,
    );
    return `{ ${entries.join(', ')} }`;
  }

  isStatic(member) {
    return (member.modifiers ?? []).some((each) => each.kind === K.StaticKeyword);
  }

  key(member) {
    return ts.isIdentifier(member.name) ? member.name.text : member.name.getText(this.source);
  }

  member(node) {
    if (!ts.isMethodDeclaration(node) || !node.body) return this.memberText(node);
    const isUi = node.name.getText(this.source) === 'build' || isBuilder(node, this.source);
    const isStyle = decoratorsOf(node, this.source).has('Styles');
    if (!isUi && !isStyle) return this.memberText(node);
    const parameters = node.parameters
      .filter((each) => !each.virtual)
      .map((each) => this.render(each))
      .join(', ');
    return `${node.name.getText(this.source)}(${parameters}) ${isStyle ? this.styleBody(node.body) : this.uiBlock(node.body)}`;
  }

  /** A member without any decorator: inside a struct the runtime reads them from `$about`. */
  memberText(node) {
    const last = (node.modifiers ?? []).filter((each) => each.kind === K.Decorator).at(-1);
    const start = last ? last.end : node.getStart(this.source);
    return this.splice(node, start);
  }

  styleBody(block) {
    const parts = block.statements
      .filter((statement) => statement.kind === K.ExpressionStatement)
      .map((statement) => `...${this.attributes(this.chain(statement.expression).attributes)}`);
    return `{ return [${parts.join(', ')}]; }`;
  }
}

/** Compile one parsed file; `declarations` knows the UI meaning of imported names. */
export function lower(source, declarations) {
  const text = new Lowering(source, declarations).render(source);
  const code = ts.transpileModule(text, {
    fileName: source.fileName.replace(/\.ets$/, '.ts'),
    compilerOptions: { ...COMPILER_OPTIONS, isolatedModules: true, removeComments: true },
  }).outputText;
  compileFunction(asBlock(code)); // or it is a fault of this compiler, found here and not by the app
  return code;
}
