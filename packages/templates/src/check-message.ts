import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileMessage } from '@tidings/liquid/compile-message';
import type { MessageCheck, MessageToCheck } from '@tidings/liquid/message-check';
import { renderPool } from './rendering/process-pool.ts';

/** Texts and keys of a message that is compiled at once: a few milliseconds. */
const SHORT_CHARS_MAX = 8 * 1024;

/**
 * Compiles a message to learn what its Liquid says. A long one is compiled in a thread, where
 * applications take turns: it may take a quarter of a second. So is one that names blocks, which may
 * make it long.
 */
export async function checkMessage(
  applicationId: string,
  toCheck: MessageToCheck,
): Promise<MessageCheck> {
  const { message, blocks } = toCheck;
  if (isShort(message) && Object.keys(blocks ?? {}).length === 0) return checkAtOnce(toCheck);
  const upper = copyLevels(message, LIMITS.messageDepthMax) as PushMessage;
  return renderPool.check(applicationId, { ...toCheck, message: upper });
}

export function checkAtOnce(toCheck: MessageToCheck): MessageCheck {
  const result = compileMessage(toCheck);
  if (!result.ok) return result;
  const { variables, expanded } = result.compiled;
  return { ok: true, variables, expanded };
}

/** A copy down to this level: no thread takes objects of a hundred thousand. Deeper text is not read. */
function copyLevels(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => copyLevels(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copyLevels(item, levels - 1)]),
  );
}

/** Looks at no more of a message than a short one has. */
function isShort(message: PushMessage): boolean {
  let chars = 0;
  const values: unknown[] = [message];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string') chars += value.length;
    else if (typeof value === 'object' && value !== null)
      for (const key in value) {
        chars += key.length + 1;
        if (chars > SHORT_CHARS_MAX) return false;
        values.push((value as Readonly<Record<string, unknown>>)[key]);
      }
    if (chars > SHORT_CHARS_MAX) return false;
  }
  return true;
}
