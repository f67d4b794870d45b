import {
  evalToken,
  TokenKind,
  toValueSync,
  TypeGuards,
  type Context,
  type Template,
  type Token,
} from 'liquidjs';
import { RenderFault } from './render-fault.ts';
import { flatten, listTokens } from './variables.ts';

/** Far below 2^53, from where on a number plus one is the same number, and a range never ends. */
const BOUND_MAX = 1_000_000_000;

/** Makes every range check its bounds. The token then counts as an expression of its own. */
export function patchRanges(nodes: readonly Template[]): void {
  for (const token of flatten(nodes).flatMap(listTokens)) {
    if (!TypeGuards.isRangeToken(token)) continue;
    const { lhs, rhs } = token;
    Object.assign(token, {
      kind: TokenKind.FilteredValue,
      filters: [],
      initial: { evaluate: (ctx: Context) => readRange(ctx, lhs, rhs) },
    });
  }
}

function readRange(ctx: Context, lhs: Token, rhs: Token): number[] {
  const [low, high] = [readBound(ctx, lhs), readBound(ctx, rhs)];
  const count = Math.max(0, Math.floor(high - low) + 1);
  ctx.memoryLimit.use(count);
  return Array.from({ length: count }, (_, index) => low + index);
}

function readBound(ctx: Context, token: Token): number {
  const bound = Number(toValueSync(evalToken(token, ctx)));
  if (Math.abs(bound) <= BOUND_MAX) return bound;
  throw new RenderFault('limit', 'a range has a bound that is no number, or too large');
}
