import {
  evalToken,
  toValue,
  toValueSync,
  TypeGuards,
  type Context,
  type Filter,
  type Token,
  type Value,
} from 'liquidjs';
import { RenderFault } from './render-fault.ts';

/** The value of an expression with its filters. With `isLenient`, null if a variable is missing. */
export type ReadValue = (ctx: Context, isLenient: boolean) => unknown;

/**
 * Reads a value as liquidjs does, without its nested generators where operands are literals and
 * variables by fixed names: those cost more than the work itself. The argument of `default` may be
 * missing, so that defaults can follow each other.
 */
export function toDirectValue({ filters, initial }: Value): ReadValue {
  const expression =
    directExpression(initial.postfix) ??
    ((ctx, isLenient) => toValueSync(initial.evaluate(ctx, isLenient)));
  const steps = filters.map(directFilter);
  const hasDefault = filters[0]?.name === 'default';
  return (ctx, isLenient) => {
    let result = expression(ctx, isLenient || hasDefault);
    for (const step of steps) result = step(result, ctx);
    return result;
  };
}

const BINARY = new Set(['==', '!=', '>', '<', '>=', '<=', 'contains', 'and', 'or']);

function directExpression(postfix: readonly Token[]): ReadValue | null {
  const [first, second, operator, ...others] = postfix;
  if (first === undefined || others.length > 0) return null;
  if (second === undefined) return directOperand(first);
  const name = TypeGuards.isOperatorToken(operator) ? operator.operator : '';
  if (!BINARY.has(name)) return null;
  const [left, right] = [directOperand(first), directOperand(second)];
  return (ctx, isLenient) => operate(ctx, name, [left(ctx, isLenient), right(ctx, isLenient)]);
}

/** The value of a binary operator. */
export function operate(
  ctx: Context,
  name: string,
  [left, right]: readonly [unknown, unknown],
): unknown {
  const apply = ctx.opts.operators[name] as (l: unknown, r: unknown, c: Context) => unknown;
  return finish(apply(left, right, ctx));
}

export function directOperand(token: Token): ReadValue {
  if ('content' in token) {
    const { content } = token as { readonly content: unknown };
    return () => content;
  }
  const path = fixedPath(token);
  return path === null
    ? (ctx, isLenient) => toValueSync(evalToken(token, ctx, isLenient))
    : (ctx, isLenient) => readVariable(ctx, path, isLenient);
}

function fixedPath(token: Token): (string | number)[] | null {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return null;
  const path: (string | number)[] = [];
  for (const prop of token.props) {
    const content: unknown = 'content' in prop ? toValue(prop.content) : undefined;
    if (typeof content !== 'string' && typeof content !== 'number') return null;
    path.push(content);
  }
  return path;
}

type Scopes = {
  findScope(key: string): unknown;
  readProperty(object: unknown, key: string | number): unknown;
};

function readVariable(
  ctx: Context,
  path: readonly (string | number)[],
  isLenient: boolean,
): unknown {
  const scopes = ctx as unknown as Scopes;
  let value = scopes.findScope(String(path[0]));
  for (const [index, key] of path.entries()) {
    value = scopes.readProperty(value, key);
    if (value !== undefined) continue;
    if (isLenient) return null;
    throw new RenderFault('missing_variable', `${path.slice(0, index + 1).join('.')} is missing`);
  }
  return value;
}

type Internals = {
  readonly handler: (this: object, value: unknown, ...args: unknown[]) => unknown;
  readonly token: unknown;
  readonly liquid: unknown;
};

function directFilter(filter: Filter): (value: unknown, ctx: Context) => unknown {
  const isLenient = filter.name === 'default';
  const args = filter.args.map((arg): ReadValue => {
    if (!Array.isArray(arg)) return directOperand(arg);
    const [key, token] = arg;
    const read = token === undefined ? () => true : directOperand(token);
    return (ctx, lenient) => [key, read(ctx, lenient)];
  });
  const { handler, token, liquid } = filter as unknown as Internals;
  return (value, context) =>
    finish(
      Reflect.apply(handler, { context, token, liquid }, [
        value,
        ...args.map((read) => read(context, isLenient)),
      ]),
    );
}

/** Operators and filters return a value, or a generator of one. */
function finish(result: unknown): unknown {
  const isGenerator =
    typeof result === 'object' && result !== null && 'next' in result && 'throw' in result;
  return isGenerator ? toValueSync(result as Generator<unknown, unknown>) : result;
}
