import { TOPICS } from '@tidings/contracts/topics';
import { insertDeadLetter, type NewDeadLetter } from '@tidings/events/dead-letters';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

let offset = 0n;

/** Inserts a dead letter of the events consumer and returns its id. */
export async function createDeadLetter(
  db: Database,
  overrides: Partial<NewDeadLetter> & Pick<NewDeadLetter, 'applicationId'>,
): Promise<string> {
  const id = systemIds.uuid();
  offset += 1n;
  const headers = { 'request-id': id, slash: '\\0 and \0' };
  await insertDeadLetter(db.sql, {
    id,
    consumer: 'events',
    requestId: id,
    topic: TOPICS.ingest,
    partition: 2,
    offset,
    key: Buffer.from('some key'),
    value: Buffer.from('{"some":"bytes"}'),
    headers,
    errorClass: 'data',
    sqlState: '22P05',
    ...overrides,
  });
  return id;
}
