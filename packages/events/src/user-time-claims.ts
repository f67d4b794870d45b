import type { MessageRef } from '@tidings/contracts';
import { readIngestSettings, type IngestSettings } from '@tidings/people/application-settings';
import { firstServiceUserIds } from '@tidings/people/first-service-user-ids';
import type { Sql } from '@tidings/postgres/database';
import type { KeyClaim } from './message-keys.ts';

/**
 * Each event with the serviceUserId that the second duplicate rule compares: the one that the caller sent, never one
 * that we resolved, unless the application extends the rule to users known by their customUserId alone. It then holds for
 * proved events: an unproved one of a page does not take a time that the back end's own event may have.
 * @callers events-consumer
 */
export async function userTimeClaims<
  T extends MessageRef & { readonly userId: string | null; readonly isProved: boolean },
>(sql: Sql, events: readonly T[]): Promise<(T & KeyClaim)[]> {
  const resolved = events.filter(
    ({ record, userId, isProved }) => record.serviceUserId === null && userId !== null && isProved,
  );
  const settingsOf =
    resolved.length === 0
      ? (): IngestSettings => ({})
      : await readIngestSettings(
          sql,
          resolved.map(({ record }) => record.applicationId),
        );
  const extended = resolved.filter(
    ({ record }) => settingsOf(record.applicationId).dedupeResolvedUsers,
  );
  const first = await firstServiceUserIds(
    sql,
    extended.flatMap(({ userId }) => userId ?? []),
  );
  const claimed = new Set<T>(extended);
  return events.map((event) => ({
    ...event,
    serviceUserId: claimed.has(event)
      ? (first.get(event.userId ?? '') ?? null)
      : event.record.serviceUserId,
  }));
}
