import { Client } from 'pg';

const names = new Map<string, string>();

/**
 * Marks a frequent statement as prepared: each connection plans it once, because planning would
 * cost as much as running it. For constant texts only: a connection keeps every prepared statement.
 */
export function definePrepared(text: string): string {
  if (!names.has(text)) names.set(text, `tidings_${names.size}`);
  return text;
}

/** A connection that uses prepared statements for the marked texts. */
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
