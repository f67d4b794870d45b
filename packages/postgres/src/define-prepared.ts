import { Client } from 'pg';

const names = new Map<string, string>();

/**
 * Marks a statement that is run so often that planning it each time would cost as much as running it: every connection
 * prepares it once. For constant texts only; a connection keeps all it has prepared.
 */
export function definePrepared(text: string): string {
  if (!names.has(text)) names.set(text, `tidings_${names.size}`);
  return text;
}

/** A connection that knows which statements are prepared. */
export class PreparingClient extends Client {
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const name = typeof text === 'string' && Array.isArray(values) ? names.get(text) : undefined;
    const query = super.query as (...all: unknown[]) => never;
    return name === undefined
      ? query.apply(this, args)
      : query.call(this, { name, text, values }, ...rest);
  }
}
