// Lowering of expressions: references to variables, two-way bindings, builders as values.

import { ts } from './language.mjs';

const K = ts.SyntaxKind;

/** Subclasses add `uiStatement`, `uiExpression` and the like. */
export class ExpressionLowering {
  constructor(source, declarations) {
    this.source = source;
    this.text = source.text;
    this.declarations = declarations;
    this.styles = declarations.byFile.get(source.fileName).styles;
    this.current = null; // names of the struct we are in
    this.bindsBuilders = false; // inside an argument of ArkUI, where `this.Menu` is bound
  }

  /** The JavaScript (with types still in) of a node. */
  render(node) {
    return this.special(node) ?? this.splice(node);
  }

  /** The written text of a node, its children rendered. */
  splice(node, from = node.getStart(this.source)) {
    let out = '';
    let at = from;
    ts.forEachChild(node, (child) => {
      if (child.virtual || child.pos < 0 || child.end <= at) return;
      const start = child.getStart(this.source);
      if (start < at) return;
      out += this.text.slice(at, start) + this.render(child);
      at = child.end;
    });
    return out + this.text.slice(at, node.end);
  }

  special(node) {
    if (node.kind === K.CallExpression && this.isBuilderValue(node)) return this.builderValue(node);
    if (
      node.kind === K.PropertyAssignment &&
      this.bindsBuilders &&
      this.isBuilderMember(node.initializer)
    ) {
      return `${node.name.getText(this.source)}: ${this.boundBuilder(node.initializer)}`;
    }
    if (node.kind === K.PropertyAccessExpression || node.kind === K.ElementAccessExpression)
      return this.access(node);
    if (node.kind === K.Identifier && this.isReferenceName(node))
      return `this.${node.text.slice(1)}`;
    if (node.kind === K.NonNullExpression && node.expression.kind === K.NonNullExpression)
      return this.twoWay(this.render(node.expression.expression));
    return null;
  }

  /** `$name` in the parameters of a component stands for the variable itself. */
  isReferenceName(node) {
    const { parent, text } = node;
    if (
      text.length < 2 ||
      text[0] !== '$' ||
      (parent.name === node && parent.kind !== K.ShorthandPropertyAssignment)
    )
      return false;
    return Boolean(this.current?.variables.has(text.slice(1)) && !this.current.variables.has(text));
  }

  /** `$$this.name` is a value that the component may write back. */
  access(node) {
    let root = node;
    while (root.expression) root = root.expression;
    if (root.kind !== K.Identifier || !root.text.startsWith('$$') || root.text === '$$')
      return null;
    return this.twoWay(this.text.slice(node.getStart(this.source), node.end).slice(2));
  }

  twoWay(target) {
    return `$ui.twoWay(() => ${target}, ($value) => { ${target} = $value; })`;
  }

  // --- builders as values -------------------------------------------------

  kindOf(name) {
    return this.declarations.kindOf(this.source.fileName, name);
  }

  isBuilderMember(node) {
    return (
      node.kind === K.PropertyAccessExpression &&
      node.expression.kind === K.ThisKeyword &&
      Boolean(
        this.current &&
          (this.current.builders.has(node.name.text) || this.current.params.has(node.name.text)),
      )
    );
  }

  isBuilderValue(node) {
    if (
      node.parent.kind === K.ExpressionStatement ||
      (node.parent.kind === K.ArrowFunction && node.parent.body === node)
    )
      return false;
    return (
      this.isBuilderMember(node.expression) ||
      (node.expression.kind === K.Identifier && this.kindOf(node.expression.text) !== null)
    );
  }

  /** `builder: this.Menu()` hands over the builder; it is not called here. */
  builderValue(node) {
    const statement =
      node.expression.kind === K.Identifier ? this.uiExpression(node) : this.builderCall(node);
    return this.uiFunction(`{ ${statement} }`);
  }

  uiFunction(body) {
    return `$ui.builder(() => ${body})`;
  }

  /** An argument of a component or attribute; a bare builder method is bound to `this`. */
  value(node) {
    if (this.isBuilderMember(node)) return this.boundBuilder(node);
    const outer = this.bindsBuilders;
    this.bindsBuilders = true;
    const text = this.render(node);
    this.bindsBuilders = outer;
    return text;
  }

  boundBuilder(node) {
    return `$ui.builder((...$args) => ${this.text.slice(node.getStart(this.source), node.end)}(...$args))`;
  }
}
