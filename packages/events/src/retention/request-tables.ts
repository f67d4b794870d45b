import type { DueRows } from '@tidings/postgres/due-rows';

/**
 * What requests leave behind, in the order in which it goes. Duplicate keys come first: a request whose trace went before
 * its keys could come back and find its own keys.
 */
export const REQUEST_TABLES: readonly DueRows[] = [
  { table: 'message_keys', time: 'received_at', where: 'true' },
  { table: 'refused_requests', time: 'received_at', where: 'true' },
  // What was asked for may still be on its way.
  {
    table: 'dead_letters',
    time: 'created_at',
    where: "(status <> 'replaying' or updated_at < $1)",
  },
  { table: 'ingest_minutes', time: 'minute', where: 'true' },
];
