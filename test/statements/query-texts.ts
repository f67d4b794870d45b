import {
  isAsExpression,
  isBindingElement,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNonNullExpression,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type BindingElement,
  type Node,
  type ParameterDeclaration,
} from 'typescript/unstable/ast';
import { SymbolFlags, type Project, type Symbol } from 'typescript/unstable/sync';

/** What a query may run: a statement of a file by its name, SQL in the code, or what is not constant. */
export type QueryText =
  | { readonly statement: string }
  | { readonly sql: string }
  | { readonly unknown: string };

/** Follows constants, objects of statements and parameters from a query to the texts that it may run. */
export function createTextFinder(project: Project): (expression: Node) => QueryText[] {
  const { checker } = project;

  /** The expressions that a value may come from. */
  function sourcesOf(node: Node): Node[] {
    if (isWrapper(node)) return sourcesOf(node.expression);
    if (isConditionalExpression(node))
      return [...sourcesOf(node.whenTrue), ...sourcesOf(node.whenFalse)];
    if (isIdentifier(node)) return sourcesOfSymbol(checker.getSymbolAtLocation(node), node);
    if (isPropertyAccessExpression(node)) return membersOf(node.expression, node.name.text);
    if (isElementAccessExpression(node)) {
      const { argumentExpression: key } = node;
      return membersOf(node.expression, isStringLiteral(key) ? key.text : undefined);
    }
    const [prepared] =
      isCallExpression(node) && /^definePrepared(ByKeys)?$/.test(node.expression.getText())
        ? node.arguments
        : [];
    return prepared === undefined ? [node] : sourcesOf(prepared);
  }

  /** Of an object the member, or each one if the code chooses it. */
  function membersOf(object: Node, name: string | undefined): Node[] {
    return sourcesOf(object).flatMap((source) => {
      if (!isObjectLiteralExpression(source)) return [source];
      return source.properties.flatMap((property): Node[] => {
        if (!isPropertyAssignment(property) && !isShorthandPropertyAssignment(property))
          return [property];
        if (name !== undefined && textOfName(property.name) !== name) return [];
        return isPropertyAssignment(property)
          ? sourcesOf(property.initializer)
          : sourcesOfSymbol(checker.getShorthandAssignmentValueSymbol(property), property);
      });
    });
  }

  function sourcesOfSymbol(symbol: Symbol | undefined, use: Node): Node[] {
    const own =
      symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0
        ? checker.getAliasedSymbol(symbol)
        : symbol;
    const declaration = own?.valueDeclaration?.resolve(project);
    if (declaration === undefined) return [use];
    if (isVariableDeclaration(declaration))
      return declaration.initializer === undefined ? [use] : sourcesOf(declaration.initializer);
    if (isParameterDeclaration(declaration)) return argumentsOf(declaration);
    return isBindingElement(declaration) ? boundOf(declaration) : [use];
  }

  function boundOf(element: BindingElement): Node[] {
    const bound = element.propertyName ?? element.name;
    const name = bound === undefined ? undefined : textOfName(bound);
    const owner = element.parent.parent;
    const objects = isVariableDeclaration(owner)
      ? [owner.initializer ?? owner]
      : isParameterDeclaration(owner)
        ? argumentsOf(owner)
        : [owner];
    return objects.flatMap((object) => membersOf(object, name));
  }

  /** What the calls of a function pass. */
  function argumentsOf(parameter: ParameterDeclaration): Node[] {
    const called = parameter.parent as Node & { readonly parameters: readonly Node[] };
    const at = called.parameters.indexOf(parameter);
    return checker.getSignatureUsage(called).flatMap(({ call }) => {
      const node = call?.resolve(project);
      const passed = node !== undefined && isCallExpression(node) ? node.arguments[at] : undefined;
      return passed === undefined ? [parameter] : sourcesOf(passed);
    });
  }

  /** SQL with constants in it, as far as they are known. */
  function constantOf(node: Node): string | undefined {
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isNumericLiteral(node))
      return node.text;
    if (!isTemplateExpression(node)) return undefined;
    let text = node.head.text;
    for (const { expression, literal } of node.templateSpans) {
      const [value, ...others] = sourcesOf(expression).map(constantOf);
      if (value === undefined || others.length > 0) return undefined;
      text += value + literal.text;
    }
    return text;
  }

  return (expression) =>
    sourcesOf(expression).map((source) => {
      const sql = constantOf(source);
      return sql === undefined ? statementOf(source) : { sql };
    });
}

function textOfName(name: Node): string {
  return isIdentifier(name) || isStringLiteral(name) ? name.text : name.getText();
}

function statementOf(node: Node): QueryText {
  const [name] =
    isCallExpression(node) && node.expression.getText() === 'statement' ? node.arguments : [];
  return name !== undefined && isStringLiteral(name)
    ? { statement: name.text }
    : { unknown: node.getText() };
}

function isWrapper(node: Node): node is Node & { readonly expression: Node } {
  return (
    isParenthesizedExpression(node) ||
    isAsExpression(node) ||
    isSatisfiesExpression(node) ||
    isNonNullExpression(node)
  );
}
