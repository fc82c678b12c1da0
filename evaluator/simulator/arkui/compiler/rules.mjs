// The rules of ArkTS that go beyond TypeScript, by the linter of the compiler itself.
// Rules that hang on types of the platform are left out: those types are unknown here.

import { finding, ts } from './language.mjs';

const FIRST_CODE = 10605000; // the number of the rule is added
const ERROR = 2;

const words = (text) => new Set(text.trim().split(/\s+/));

const CERTAIN = words(`
  CallSignature CatchWithUnsupportedType ClassExpression CommaOperator ConditionalType ConstAssertion
  ConstructorFuncs ConstructorIface ConstructorType DeleteOperator DestructuringAssignment
  DestructuringDeclaration DestructuringParameter EnumMerging ExportAssignment ForInStatement
  FunctionContainsThis FunctionExpression GeneratorFunction GlobalThis ImportAssertion ImportAssignment
  IndexMember IndexedAccessType InOperator InterfaceMerging IntersectionType IsOperator JsxElement
  LocalFunction MappedType MultipleStaticBlocks NewTarget NonDeclarationInNamespace ObjectTypeLiteral
  ParameterProperties PrivateIdentifier ShorthandAmbientModuleDecl SymbolType ThisType TypeAssertion
  UMDModuleDefinition VarDeclaration WildcardsInModuleName WithStatement YieldExpression ImportAfterStatement
  ErrorSuppression
`);

/** Rule violations of the `.ets` files of a program. */
export function ruleErrors(program, sources) {
  const linter = ts.ArkTSLinter_1_1;
  linter.LinterConfig.initStatic();
  linter.TypeScriptLinter.initGlobals();
  return sources
    .filter((source) => source.fileName.endsWith('.ets'))
    .flatMap((source) => {
      linter.TypeScriptLinter.initStatic();
      const pass = new linter.TypeScriptLinter(source, program, new Map());
      linter.setTypeChecker(linter.TypeScriptLinter.tsTypeChecker);
      pass.lint();
      return linter.TypeScriptLinter.problemsInfos
        .filter((each) => each.severity === ERROR && isCertain(each, source, program))
        .map((each) => told(each, source, linter));
    });
}

function told({ problem, rule, line, column }, source, linter) {
  const number = linter.faultsAttrs[linter.FaultID[problem]]?.cookBookRef ?? 0;
  return {
    ...finding(source, positionOf(source, line, column), String(FIRST_CODE + Number(number)), rule),
  };
}

const positionOf = (source, line, column) =>
  source.getPositionOfLineAndCharacter(line - 1, column - 1);

function isCertain({ problem, line, column }, source, program) {
  if (CERTAIN.has(problem)) return true;
  const position = positionOf(source, line, column);
  if (problem === 'AnyType' || problem === 'UnknownType')
    return /^(any|unknown)\b/.test(source.text.slice(position));
  if (problem === 'ObjectLiteralNoContextType') return hasNoContext(source, position, program);
  return false;
}

/** `const x = { a: 1 }`: no type is expected there, not even one of the platform. */
function hasNoContext(source, position, program) {
  let literal = null;
  const visit = (node) => {
    if (node.virtual || node.end <= position || node.pos > position) return;
    if (ts.isObjectLiteralExpression(node) && node.getStart(source) === position) literal = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return (
    literal !== null &&
    ts.isVariableDeclaration(literal.parent) &&
    !literal.parent.type &&
    program.getTypeChecker().getContextualType(literal) === undefined
  );
}
