import type { DueRows } from '@tidings/postgres/due-rows';

/**
 * The tables of what requests leave behind, in the order of purging. Duplicate keys go first: a
 * request purged before its keys could be delivered again and find its own keys.
 */
export const REQUEST_TABLES: readonly DueRows[] = [
  { table: 'duplicate_keys', time: 'received_at', where: 'true' },
  // What earlier versions wrote. It also deletes the same keys in duplicate_keys.
  { table: 'message_keys', time: 'received_at', where: 'true' },
  { table: 'refused_requests', time: 'received_at', where: 'true' },
  // A requested replay may still be in flight.
  {
    table: 'dead_letters',
    time: 'created_at',
    where: "(status <> 'replaying' or updated_at < $1)",
  },
  { table: 'ingest_minutes', time: 'minute', where: 'true' },
];
