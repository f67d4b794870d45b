import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { to as copyTo } from 'pg-copy-streams';
import { createCopyDecoder, type CopyRow } from './copy-decoder.ts';
import type { Sql } from './sql.ts';

/**
 * Sends each row of a query to `onRow`, by a binary `COPY`: a third of the work of a query that
 * makes objects, and in memory no more than a few rows. All else has a turn after some 64 KiB. In a
 * transaction only.
 *
 * A `COPY` takes no parameters, and no value of a caller becomes part of `query`: set them before by
 * `set_config(name, value, true)`, and name them as `current_setting(name)`.
 * @param fields the number of columns
 * @param onRow what it throws ends the COPY, after the rows that are on their way
 */
export async function copyOut(
  sql: Sql,
  query: string,
  { fields, onRow }: { readonly fields: number; readonly onRow: (row: CopyRow) => void },
): Promise<void> {
  const decoder = createCopyDecoder(fields, onRow);
  let failure: { readonly error: unknown } | null = null;
  const stream = copyTo(`copy (${query}) to stdout (format binary)`);
  // Of a connection that first sends something else, it comes when that was answered.
  const copy = (await Promise.resolve<unknown>(sql.query(stream))) as typeof stream & {
    callback?: () => void;
    readonly connection?: { readonly stream: Socket };
  };
  // After an error of Postgres the driver reads on. After one of the client, as when the answer takes
  // too long, the COPY would read what comes later, without a place for it: the process would end.
  copy.once('error', (error: Error) => {
    if (!('severity' in error)) copy.connection?.stream.destroy();
  });
  try {
    for await (const chunk of copy) {
      if (failure !== null) continue;
      try {
        decoder.push(chunk as Buffer);
      } catch (error) {
        // The rest is read: the connection can do nothing else before.
        failure = { error };
      }
      // Postgres writes faster than rows are handled: without it a socket is read, and its rows are
      // handled, many times before anything else has a turn.
      await turn();
    }
  } finally {
    // The driver stops waiting for its end.
    copy.callback?.();
  }
  if (failure !== null) throw failure.error;
  decoder.end();
}
