import type { AutomationTrigger } from '@tidings/contracts/automations/definition';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { selectNamedEvents, type EventKey } from '@tidings/segments/person-events';
import type { Stepping } from './advance.ts';
import {
  decide,
  inHalves,
  placeOf,
  readEnterable,
  type Claim,
  type Enterable,
  type Entrant,
} from './decide.ts';
import { entryKeyOf } from './entry-key.ts';
import { slugsOf } from './listen-for.ts';

/** How late an event may be received where the trigger does not say. */
export const MAX_AGE = '1h';
/** Of one statement, which has 5 s. */
const CLAIMS_AT_ONCE = 5_000;
/** How long a run waits for the profile that came with its event. */
const SETTLES_MS = 10_000;

/** An event of a registered person that may enter them somewhere. */
export type Candidate = EventKey & {
  readonly applicationId: string;
  /** The person. */
  readonly userId: string;
  readonly slug: string;
  /** When it could enter them first: received, or their registration. Milliseconds. */
  readonly seenAt: number;
  /** Whether its request had messages about the profile. */
  readonly hasUserMessages: boolean;
};

/**
 * Makes a run of each event that enters its person, and notes why others do not. Each event is
 * decided once for each automation, however often it is read. Returns the ids of the runs, which have
 * not begun. An event that cannot be decided is passed, so that others are. The shard of the people is
 * locked.
 * @callers automations
 */
export async function enter(
  stepping: Stepping,
  candidates: readonly Candidate[],
): Promise<string[]> {
  const { sql, now, contextOf } = stepping;
  const applicationIds = [...new Set(candidates.map(({ applicationId }) => applicationId))];
  if (applicationIds.length === 0) return [];
  const made: string[] = [];
  const automations = (await readEnterable(sql, applicationIds)).flatMap(hasEvent);
  for (const [applicationId, own] of Map.groupBy(automations, (each) => each.applicationId)) {
    const context = await contextOf(applicationId);
    const claims = own.flatMap((automation) => {
      const slugs = new Set(slugsOf(context, automation.trigger.event));
      return candidates.flatMap((candidate) =>
        candidate.applicationId === applicationId &&
        slugs.has(candidate.slug) &&
        candidate.receivedAt >= automation.activatedAt
          ? [{ automation, of: candidate }]
          : [],
      );
    });
    for (let from = 0; from < claims.length; from += CLAIMS_AT_ONCE)
      made.push(
        ...(await inHalves(stepping, claims.slice(from, from + CLAIMS_AT_ONCE), async (some) =>
          decide(sql, now, await entrantsOf(sql, { context, now }, some)),
        )),
      );
  }
  return made;
}

type EventTrigger = Extract<AutomationTrigger, { event: unknown }>;
type EnterableByEvents = Enterable & { readonly trigger: EventTrigger };

const hasEvent = ({ trigger, ...automation }: Enterable): EnterableByEvents[] =>
  'event' in trigger ? [{ ...automation, trigger }] : [];

/** Candidates whose events have what the triggers ask for, with the keys of their runs. */
async function entrantsOf(
  sql: Sql,
  { context, now }: { readonly context: ConditionContext; readonly now: number },
  claims: readonly Claim<Candidate>[],
): Promise<Claim<Entrant>[]> {
  const named = [...new Set(claims.map(({ automation }) => automation as EnterableByEvents))];
  const places = new Map(named.map(({ id }, place) => [id, place]));
  const events = await selectNamedEvents(sql, {
    context,
    now,
    named: named.map(({ trigger }) => trigger),
    keys: [...new Map(claims.map(({ of }) => [placeOf(of), of])).values()],
  });
  const stored = new Map(events.map((event) => [placeOf(event), event]));
  return claims.flatMap(({ automation, of: candidate }): Claim<Entrant>[] => {
    const { maxAge = MAX_AGE, from } = automation.trigger as EventTrigger;
    const event = stored.get(placeOf(candidate));
    if (event === undefined || !event.named.includes(places.get(automation.id) ?? -1)) return [];
    if (!event.isProved && from !== 'anyone') return [];
    if (maxAge !== null && candidate.seenAt - Number(event.time) > toMs(maxAge)) return [];
    const key = entryKeyOf(automation.entry, event.attributes);
    if (key === null) return [];
    const { userId, requestId, messageIndex, receivedAt, hasUserMessages } = candidate;
    const entrant = {
      userId,
      key,
      requestId,
      messageIndex,
      receivedAt,
      time: event.time,
      messageId: event.messageId,
      settlesUntil: hasUserMessages ? now + SETTLES_MS : null,
      kind: null,
    };
    return [{ automation, of: entrant }];
  });
}
