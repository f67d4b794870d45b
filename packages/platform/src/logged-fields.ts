/**
 * Fields allowed in a log line. Each holds an internal id, a code, a count, a time or an
 * installation name, never text or an address of a person. `deviceId` is a credential and therefore
 * not included.
 */
export const LOGGED_FIELDS: ReadonlySet<string> = new Set([
  'err',
  'traceId',
  'spanId',
  'group',
  // Ids.
  'account',
  'applicationId',
  'auditEntryId',
  'automationId',
  'campaignId',
  'deliveryId',
  'endpointId',
  'deadLetterId',
  'requestId',
  'runId',
  // Slugs, which members of the application choose.
  'node',
  'segment',
  'version',
  // Kafka and Postgres.
  'assignment',
  'broker',
  'bus',
  'client',
  'failingMs',
  'generation',
  'groupId',
  'migration',
  'offset',
  'partition',
  'source',
  'sqlState',
  'table',
  'topic',
  // What happened.
  'action',
  'cause',
  'error',
  'errorClass',
  'instant',
  'kind',
  'method',
  'outcome',
  'path',
  'problems',
  'providerCode',
  'reason',
  'signal',
  'state',
  'status',
  'statusCode',
  'step',
  'work',
  // Numbers.
  'attempts',
  'bytesCut',
  'certainty',
  'choice',
  'counted',
  'counter',
  'dropped',
  'found',
  'keys',
  'left',
  'messages',
  'outcomes',
  'probeInMs',
  'recounted',
  'reencrypted',
  'rejections',
  'replicas',
  'rows',
  'unreadable',
  'wanted',
  // Where a process listens.
  'healthPort',
  'port',
  'smtpPort',
  'url',
]);

/** Stands for the value of a field that is not declared. */
export const DROPPED = '[dropped]';

export function loggedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      LOGGED_FIELDS.has(name) ? value : DROPPED,
    ]),
  );
}
