import type { AutomationEntry, AutomationTrigger } from '@tidings/contracts/automations/definition';
import { toMs } from '@tidings/segments/durations';
import { selectEvents, type EventKey, type StoredEvent } from '@tidings/segments/person-events';
import type { Stepping } from './advance.ts';
import { decide, inHalves, placeOf, readEnterable, type Entrant } from './decide.ts';
import { entryKeyOf } from './entry-key.ts';
import { slugsOf } from './listen-for.ts';
import { readProgram } from './programs.ts';

/** How late an event may be received where the trigger does not say. */
export const MAX_AGE = '1h';
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
  for (const automation of await readEnterable(sql, applicationIds)) {
    const { definition } = await readProgram(sql, {
      automationId: automation.id,
      version: automation.version,
    });
    const { trigger, entry = { again: 'never' } } = definition;
    if (!('event' in trigger)) continue;
    const context = await contextOf(automation.applicationId);
    const slugs = slugsOf(context, trigger.event);
    const own = candidates.filter(
      ({ applicationId, slug, receivedAt }) =>
        applicationId === automation.applicationId &&
        slugs.includes(slug) &&
        receivedAt >= automation.activatedAt,
    );
    made.push(
      ...(await inHalves(stepping, automation.id, {
        people: own,
        work: async (some) => {
          const events = await selectEvents(sql, { context, now, named: trigger, keys: some });
          const entrants = entrantsOf(some, events, { trigger, entry, now });
          return decide(sql, { automation, entry, now }, entrants);
        },
      })),
    );
  }
  return made;
}

/** Candidates whose events have what the trigger asks for, with the keys of their runs. */
function entrantsOf(
  candidates: readonly Candidate[],
  events: readonly StoredEvent[],
  {
    trigger,
    entry,
    now,
  }: {
    readonly trigger: Extract<AutomationTrigger, { event: unknown }>;
    readonly entry: AutomationEntry;
    readonly now: number;
  },
): Entrant[] {
  const stored = new Map(events.map((event) => [placeOf(event), event]));
  const { maxAge = MAX_AGE, from } = trigger;
  return candidates.flatMap((candidate): Entrant[] => {
    const event = stored.get(placeOf(candidate));
    if (event === undefined || (!event.isProved && from !== 'anyone')) return [];
    if (maxAge !== null && candidate.seenAt - Number(event.time) > toMs(maxAge)) return [];
    const key = entryKeyOf(entry, event.attributes);
    if (key === null) return [];
    const { userId, requestId, messageIndex, receivedAt, hasUserMessages } = candidate;
    return [
      {
        userId,
        key,
        requestId,
        messageIndex,
        receivedAt,
        time: event.time,
        messageId: event.messageId,
        settlesUntil: hasUserMessages ? now + SETTLES_MS : null,
        kind: null,
      },
    ];
  });
}
