import { messageIndexOf, type IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import type { AcceptedEvent } from '@tidings/events/events';
import type { IdentifiedMessage } from '@tidings/ingest-consumer';
import type { Sql } from '@tidings/postgres/database';
import { appendChanges, type EventChange } from '@tidings/user-changes/changes';
import { readListens } from '@tidings/user-changes/listens';
import { changesOfPersons, type PersonChange } from '@tidings/user-changes/person-changes';

/**
 * Appends the stored events that their applications listen to, also of users who are not registered:
 * they may be in a moment. Where nothing listens, this is one small statement.
 */
export async function appendEventChanges(
  sql: Sql,
  {
    accepted,
    merged,
  }: {
    readonly accepted: readonly (IdentifiedMessage & AcceptedEvent)[];
    readonly merged: readonly PersonChange[];
  },
): Promise<void> {
  const applicationIds = [
    ...accepted.map(({ record }) => record.applicationId),
    ...merged.map(({ applicationId }) => applicationId),
  ];
  if (applicationIds.length === 0) return;
  const listens = await readListens(sql, applicationIds);
  if (listens.size === 0) return;

  // An earlier record of the batch may still name the anonymous user.
  const persons = new Map(merged.map(({ anonymousId, userId }) => [anonymousId, userId]));
  const hasUserMessages = createUserMessageFinder();
  const events = accepted.flatMap((event): EventChange[] => {
    const { record, slug, userId, isProved, isRegistered } = event;
    if (userId === null || listens.get(record.applicationId)?.has(slug) !== true) return [];
    return [
      {
        kind: 'event',
        userId: persons.get(userId) ?? userId,
        slug,
        requestId: record.requestId,
        messageIndex: messageIndexOf(event),
        receivedAt: record.receivedAt,
        isProved,
        isRegistered,
        hasUserMessages: hasUserMessages(record),
      },
    ];
  });
  await appendChanges(sql, [...changesOfPersons(listens, merged), ...events]);
}

/** Looks through the messages of each record once. */
function createUserMessageFinder(): (record: IngestRecord) => boolean {
  const found = new Map<IngestRecord, boolean>();
  return (record) => {
    const known = found.get(record) ?? record.messages.some(({ type }) => type === 'user');
    found.set(record, known);
    return known;
  };
}
