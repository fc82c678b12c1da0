// Lowering of UI blocks: `build()`, `@Builder` bodies and the blocks of components.

import { ts } from './language.mjs';

const K = ts.SyntaxKind;
const EACH = new Set(['ForEach', 'LazyForEach', 'Repeat']);

export class UiLowering {
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
    if (node.kind === K.ExpressionStatement && this.isUiStatement(node)) return this.uiStatement(node);
    if (node.kind === K.EtsComponentExpression) return this.uiFunction(`{ ${this.uiExpression(node)} }`);
    if (node.kind === K.CallExpression && this.isBuilderValue(node)) return this.builderValue(node);
    if (node.kind === K.PropertyAssignment && this.bindsBuilders && this.isBuilderMember(node.initializer)) {
      return `${node.name.getText(this.source)}: ${this.boundBuilder(node.initializer)}`;
    }
    if (node.kind === K.PropertyAccessExpression || node.kind === K.ElementAccessExpression) return this.access(node);
    if (node.kind === K.Identifier && this.isReferenceName(node)) return `this.${node.text.slice(1)}`;
    if (node.kind === K.NonNullExpression && node.expression.kind === K.NonNullExpression) return this.twoWay(this.render(node.expression.expression));
    return null;
  }

  /** `$name` in the parameters of a component stands for the variable itself. */
  isReferenceName(node) {
    const { parent, text } = node;
    if (text.length < 2 || text[0] !== '$' || (parent.name === node && parent.kind !== K.ShorthandPropertyAssignment)) return false;
    return Boolean(this.current?.variables.has(text.slice(1)) && !this.current.variables.has(text));
  }

  /** `$$this.name` is a value that the component may write back. */
  access(node) {
    let root = node;
    while (root.expression) root = root.expression;
    if (root.kind !== K.Identifier || !root.text.startsWith('$$') || root.text === '$$') return null;
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
    return node.kind === K.PropertyAccessExpression && node.expression.kind === K.ThisKeyword
      && Boolean(this.current && (this.current.builders.has(node.name.text) || this.current.params.has(node.name.text)));
  }

  isBuilderValue(node) {
    if (node.parent.kind === K.ExpressionStatement || (node.parent.kind === K.ArrowFunction && node.parent.body === node)) return false;
    return this.isBuilderMember(node.expression)
      || (node.expression.kind === K.Identifier && this.kindOf(node.expression.text) !== null);
  }

  /** `builder: this.Menu()` hands over the builder; it is not called here. */
  builderValue(node) {
    const statement = node.expression.kind === K.Identifier ? this.uiExpression(node) : this.builderCall(node);
    return this.uiFunction(`{ ${statement} }`);
  }

  uiFunction(body) {
    return `$ui.builder(() => ${body})`;
  }

  // --- statements ---------------------------------------------------------

  /** The component (or call) at the root of `Text('a').width(1)` and its attributes. */
  chain(expression) {
    const attributes = [];
    let root = expression;
    while (root.kind === K.CallExpression && root.expression.kind === K.PropertyAccessExpression) {
      attributes.unshift({ name: root.expression.name.text, args: this.written(root.arguments) });
      root = root.expression.expression;
    }
    return { root, attributes };
  }

  written(nodes) {
    return [...(nodes ?? [])].filter((each) => !each.virtual);
  }

  isUiStatement(node) {
    const { root } = this.chain(node.expression);
    if (root.kind === K.EtsComponentExpression) return true;
    return root.kind === K.CallExpression && root.expression.kind === K.Identifier
      && (EACH.has(root.expression.text) || this.kindOf(root.expression.text) === 'struct');
  }

  uiBlock(block) {
    return `{ ${block.statements.map((each) => this.uiStatement(each)).join('\n')} }`;
  }

  uiStatement(node) {
    if (node.kind === K.IfStatement) return this.branch(node);
    if (node.kind === K.Block) return this.uiBlock(node);
    if (node.kind !== K.ExpressionStatement) return this.render(node);
    return this.uiExpression(node.expression);
  }

  uiExpression(expression) {
    const { root, attributes } = this.chain(expression);
    if (root.kind === K.EtsComponentExpression) return this.component(root, attributes);
    if (root.kind !== K.CallExpression || root.expression.kind !== K.Identifier) return this.builderCall(expression);
    const name = root.expression.text;
    if (name === 'ForEach' || name === 'LazyForEach') return this.each(root);
    if (name === 'Repeat') return this.repeat(root, attributes);
    if (this.kindOf(name) === 'builder') return this.builderCall(root);
    return this.component(root, attributes);
  }

  branch(node) {
    const conditions = [];
    const blocks = [];
    let at = node;
    for (; at?.kind === K.IfStatement; at = at.elseStatement) {
      conditions.push(`(${this.render(at.expression)}) ? ${blocks.length}`);
      blocks.push(`() => ${this.asBlock(at.thenStatement)}`);
    }
    const other = at ? blocks.push(`() => ${this.asBlock(at)}`) - 1 : -1;
    return `$ui.branch(() => ${conditions.join(' : ')} : ${other}, [${blocks.join(', ')}]);`;
  }

  asBlock(node) {
    return node.kind === K.Block ? this.uiBlock(node) : `{ ${this.uiStatement(node)} }`;
  }

  /** `ForEach(list, item => { ... }, key)` and its lazy sister. */
  each(node) {
    const [list, item, key] = node.arguments;
    const how = node.expression.text === 'ForEach' ? 'forEach' : 'lazyForEach';
    return `$ui.${how}(() => ${this.render(list)}, ${this.uiCallback(item)}, ${key ? this.render(key) : 'null'});`;
  }

  /** A callback whose body is UI; anything else is taken as it stands. */
  uiCallback(node) {
    if (node.kind !== K.ArrowFunction && node.kind !== K.FunctionExpression) return this.render(node);
    const parameters = node.parameters.map((each) => this.render(each)).join(', ');
    return `(${parameters}) => ${node.body.kind === K.Block ? this.uiBlock(node.body) : `{ ${this.uiExpression(node.body)} }`}`;
  }

  repeat(node, attributes) {
    const parts = attributes.map(({ name, args }) => {
      const values = args.map((each) => (name === 'each' || name === 'template' ? this.uiCallback(each) : this.render(each)));
      return `[${JSON.stringify(name)}, [${values.join(', ')}]]`;
    });
    return `$ui.repeat(() => ${this.render(node.arguments[0])}, [${parts.join(', ')}]);`;
  }

  /** One object literal as the only argument is passed by reference: it stays live. */
  builderCall(node) {
    const args = this.written(node.arguments);
    const isLive = args.length === 1 && args[0].kind === K.ObjectLiteralExpression
      && args[0].properties.every((each) => ts.isPropertyAssignment(each));
    if (node.kind !== K.CallExpression || !isLive) return `${this.splice(node)};`;
    const parts = args[0].properties.map((each) => `${each.name.getText(this.source)}: () => (${this.render(each.initializer)})`);
    return `${this.render(node.expression)}($ui.byReference({ ${parts.join(', ')} }));`;
  }

  component(node, attributes) {
    const name = node.expression.getText(this.source);
    const args = this.written(node.arguments);
    const body = node.body ? `() => ${this.uiBlock(node.body)}` : 'null';
    const styles = attributes.length ? `() => ${this.attributes(attributes)}` : 'null';
    if (node.kind === K.EtsComponentExpression && this.kindOf(name) === null) {
      return `$ui.element(${JSON.stringify(name)}, () => [${args.map((each) => this.value(each)).join(', ')}], ${styles}, ${body});`;
    }
    const params = args.length ? `() => (${this.render(args[0])})` : 'null';
    const more = args.length > 1 ? `, () => (${this.render(args[1])})` : '';
    return `$ui.custom(${name}, ${params}, ${this.references(args[0])}, ${body}, ${styles}${more});`;
  }

  /** Parameters that name a variable, for the `@Link` variables of the child. */
  references(node) {
    if (node?.kind !== K.ObjectLiteralExpression) return 'null';
    const parts = [];
    for (const each of node.properties.filter((property) => ts.isPropertyAssignment(property))) {
      let value = each.initializer;
      while (value.kind === K.NonNullExpression) value = value.expression;
      const key = each.name.getText(this.source);
      if (value.kind === K.PropertyAccessExpression) parts.push(`${key}: () => [${this.render(value.expression)}, ${JSON.stringify(value.name.text)}]`);
      else if (value.kind === K.ElementAccessExpression) parts.push(`${key}: () => [${this.render(value.expression)}, ${this.render(value.argumentExpression)}]`);
      else if (value.kind === K.Identifier && this.isReferenceName(value)) parts.push(`${key}: () => [this, ${JSON.stringify(value.text.slice(1))}]`);
    }
    return parts.length ? `{ ${parts.join(', ')} }` : 'null';
  }

  attributes(list) {
    const parts = list.map(({ name, args }) => {
      if (!args.length || this.isOwnStyle(name)) {
        if (this.current?.styles.has(name)) return `...this.${name}(${args.map((each) => this.value(each)).join(', ')})`;
        if (this.styles.has(name)) return `...${name}(${args.map((each) => this.value(each)).join(', ')})`;
      }
      if (name === 'stateStyles') return `["stateStyles", [${this.stateStyles(args[0])}]]`;
      return `[${JSON.stringify(name)}, [${args.map((each) => this.value(each)).join(', ')}]]`;
    });
    return `[${parts.join(', ')}]`;
  }

  isOwnStyle(name) {
    return this.styles.has(name) || Boolean(this.current?.styles.has(name));
  }

  stateStyles(node) {
    const parts = node.properties.map((each) => {
      const value = each.initializer;
      const isBlock = value.kind === K.ObjectLiteralExpression;
      const lists = isBlock ? value.properties.map((one) => `...${this.attributes(this.chain(one.initializer).attributes)}`) : [];
      return `${each.name.getText(this.source)}: ${isBlock ? `() => [${lists.join(', ')}]` : `() => ${this.render(value)}()`}`;
    });
    return `{ ${parts.join(', ')} }`;
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
