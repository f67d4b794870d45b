import {
  LiquidError,
  toValueSync,
  type Context,
  type Emitter,
  type Template,
  type Token,
} from 'liquidjs';
import { RenderFault } from './render-fault.ts';

/**
 * Renders nodes as liquidjs does. Those that `patchNodes` has changed return nothing to wait for.
 * @throws RenderFault
 */
export function renderNodes(nodes: readonly Template[], ctx: Context, emitter: Emitter): void {
  for (const node of nodes) {
    try {
      ctx.renderLimit.check(performance.now());
      const rendering: unknown = node.render(ctx, emitter);
      if (rendering !== undefined) {
        const html = toValueSync(rendering as Generator<unknown, string | undefined>);
        if (html !== undefined && html !== '') emitter.write(html);
      }
    } catch (error) {
      throw toFault(error, node);
    }
    if (ctx.breakCalled || ctx.continueCalled) return;
  }
}

type Cause = Error & {
  readonly variableName?: string;
  readonly token?: Token;
  readonly originalError?: Cause;
};

function toFault(error: unknown, { token }: Template): unknown {
  const cause = deepestCause(error as Cause);
  if (cause instanceof RenderFault) return cause;
  if (cause.variableName !== undefined)
    return new RenderFault('missing_variable', `${variableOf(error as Cause)} is missing`);
  if (cause.message.endsWith('limit exceeded'))
    return new RenderFault('limit', 'too much memory', { cause: error });
  const place = LiquidError.is(error as object) ? (error as LiquidError).token : token;
  const [line = 1, column = 1] = place.getPosition();
  return new RenderFault('failed', `line ${line}, column ${column} failed`, { cause: error });
}

/** As written: liquidjs names a computed key by its value, which may be a word of the user. */
function variableOf({ token, originalError }: Cause): string {
  if (originalError?.originalError !== undefined) return variableOf(originalError);
  return token?.getText() ?? 'a variable';
}

function deepestCause(error: Cause): Cause {
  return error.originalError === undefined ? error : deepestCause(error.originalError);
}
