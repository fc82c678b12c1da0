// Lowering of UI blocks: `build()`, `@Builder` bodies and the blocks of components.

import { ts } from './language.mjs';
import { ExpressionLowering } from './lower-expressions.mjs';

const K = ts.SyntaxKind;
const EACH = new Set(['ForEach', 'LazyForEach', 'Repeat']);

export class UiLowering extends ExpressionLowering {
  special(node) {
    if (node.kind === K.ExpressionStatement && this.isUiStatement(node))
      return this.uiStatement(node);
    if (node.kind === K.EtsComponentExpression)
      return this.uiFunction(`{ ${this.uiExpression(node)} }`);
    return super.special(node);
  }

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
    return (
      root.kind === K.CallExpression &&
      root.expression.kind === K.Identifier &&
      (EACH.has(root.expression.text) || this.kindOf(root.expression.text) === 'struct')
    );
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
    if (root.kind !== K.CallExpression || root.expression.kind !== K.Identifier)
      return this.builderCall(expression);
    const name = root.expression.text;
    if (name === 'ForEach' || name === 'LazyForEach') return this.each(root, attributes);
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
  each(node, attributes) {
    const [list, item, key] = node.arguments;
    const more = attributes.length ? `() => ${this.attributes(attributes)}` : 'null';
    const how = node.expression.text === 'ForEach' ? 'forEach' : 'lazyForEach';
    return `$ui.${how}(() => ${this.render(list)}, ${this.uiCallback(item)}, ${key ? this.render(key) : 'null'}, ${more});`;
  }

  /** A callback whose body is UI; anything else is taken as it stands. */
  uiCallback(node) {
    if (node.kind !== K.ArrowFunction && node.kind !== K.FunctionExpression)
      return this.render(node);
    const parameters = node.parameters.map((each) => this.render(each)).join(', ');
    return `(${parameters}) => ${node.body.kind === K.Block ? this.uiBlock(node.body) : `{ ${this.uiExpression(node.body)} }`}`;
  }

  repeat(node, attributes) {
    const parts = attributes.map(({ name, args }) => {
      const values = args.map((each) =>
        name === 'each' || name === 'template' ? this.uiCallback(each) : this.render(each),
      );
      return `[${JSON.stringify(name)}, [${values.join(', ')}]]`;
    });
    return `$ui.repeat(() => ${this.render(node.arguments[0])}, [${parts.join(', ')}]);`;
  }

  /** One object literal as the only argument is passed by reference: it stays live. */
  builderCall(node) {
    const args = this.written(node.arguments);
    const isLive =
      args.length === 1 &&
      args[0].kind === K.ObjectLiteralExpression &&
      args[0].properties.every((each) => ts.isPropertyAssignment(each));
    if (node.kind !== K.CallExpression || !isLive) return `${this.splice(node)};`;
    const parts = args[0].properties.map(
      (each) => `${each.name.getText(this.source)}: () => (${this.render(each.initializer)})`,
    );
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
      if (value.kind === K.PropertyAccessExpression)
        parts.push(
          `${key}: () => [${this.render(value.expression)}, ${JSON.stringify(value.name.text)}]`,
        );
      else if (value.kind === K.ElementAccessExpression)
        parts.push(
          `${key}: () => [${this.render(value.expression)}, ${this.render(value.argumentExpression)}]`,
        );
      else if (value.kind === K.Identifier && this.isReferenceName(value))
        parts.push(`${key}: () => [this, ${JSON.stringify(value.text.slice(1))}]`);
    }
    return parts.length ? `{ ${parts.join(', ')} }` : 'null';
  }

  attributes(list) {
    const parts = list.map(({ name, args }) => {
      if (!args.length || this.isOwnStyle(name)) {
        if (this.current?.styles.has(name))
          return `...this.${name}(${args.map((each) => this.value(each)).join(', ')})`;
        if (this.styles.has(name))
          return `...${name}(${args.map((each) => this.value(each)).join(', ')})`;
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
      const lists = isBlock
        ? value.properties.map(
            (one) => `...${this.attributes(this.chain(one.initializer).attributes)}`,
          )
        : [];
      return `${each.name.getText(this.source)}: ${isBlock ? `() => [${lists.join(', ')}]` : `() => ${this.render(value)}()`}`;
    });
    return `{ ${parts.join(', ')} }`;
  }
}
