import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toMs } from '@tidings/segments/durations';
import type { Stepping } from './advance.ts';
import { readEnterable } from './decide.ts';
import { MAX_AGE, type Candidate } from './enter.ts';
import { slugsOf } from './listen-for.ts';

const statement = statementsIn(import.meta.dirname);

/** Events of a person that are looked at again. */
const EVENTS_OF_PERSON = 100;
/** As far as a trigger looks back that takes events of any age: as long as the log has changes. */
const LOOK_BACK_MAX_MS = 7 * 86_400_000;

/** Someone who has become registered, or whom an anonymous visitor turned out to be. */
export type Newcomer = {
  readonly applicationId: string;
  readonly userId: string;
  /** Whose events are new to the person; null: all are. */
  readonly anonymousId: string | null;
};

/** The events that could not enter these people before. */
export async function lookBack(
  { sql, now, contextOf }: Pick<Stepping, 'sql' | 'now' | 'contextOf'>,
  newcomers: readonly Newcomer[],
): Promise<Candidate[]> {
  const byApplication = Map.groupBy(newcomers, ({ applicationId }) => applicationId);
  const automations = await readEnterable(sql, [...byApplication.keys()]);
  const candidates: Candidate[] = [];
  for (const [applicationId, own] of byApplication) {
    const slugs = new Set<string>();
    let backMs = 0;
    for (const automation of automations) {
      const { trigger } = automation;
      if (automation.applicationId !== applicationId || !('event' in trigger)) continue;
      for (const slug of slugsOf(await contextOf(applicationId), trigger.event)) slugs.add(slug);
      const { maxAge = MAX_AGE } = trigger;
      backMs = Math.max(backMs, maxAge === null ? LOOK_BACK_MAX_MS : toMs(maxAge));
    }
    if (slugs.size === 0) continue;
    const { rows } = await readEvents(sql, own, { slugs: [...slugs], from: now - backMs });
    for (const row of rows)
      candidates.push({
        applicationId,
        userId: row.person_id,
        requestId: row.request_id,
        messageIndex: row.message_index,
        receivedAt: row.received_ms,
        slug: row.slug,
        seenAt: now,
        hasUserMessages: false,
      });
  }
  return candidates;
}

const readEvents = (
  sql: Sql,
  newcomers: readonly Newcomer[],
  { slugs, from }: { readonly slugs: readonly string[]; readonly from: number },
) =>
  sql.query<{
    person_id: string;
    request_id: string;
    message_index: number;
    slug: string;
    received_ms: number;
  }>(statement('read-earlier-events'), [
    newcomers.map(({ userId }) => userId),
    newcomers.map(({ anonymousId }) => anonymousId),
    slugs,
    Math.floor(from),
    EVENTS_OF_PERSON,
  ]);
