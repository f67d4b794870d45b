import type { Stepping } from './advance.ts';
import { decide, inHalves, readEnterable, type Entrant } from './decide.ts';
import { uuidOf } from './uuid-of.ts';

/** A registered person whom no event enters. */
export type Arrival = {
  readonly applicationId: string;
  readonly automationId: string;
  readonly userId: string;
  /** What enters them: the key of the trigger. */
  readonly kind: string;
  /** The instant of the trigger, in milliseconds. A person enters once by each. */
  readonly at: number;
};

/**
 * Makes a run of each arrival that may enter, and notes why others do not, as `enter` does of events.
 * An arrival is decided once for each automation and instant, however often it is given. Those of an
 * automation that has another kind of trigger by now, or of before its activation, are passed. Returns
 * the ids of the runs, which have not begun. The shard of the people is locked.
 */
export async function enterPeople(
  stepping: Stepping,
  arrivals: readonly Arrival[],
): Promise<string[]> {
  const { sql, now } = stepping;
  if (arrivals.length === 0) return [];
  const byAutomation = Map.groupBy(arrivals, ({ automationId }) => automationId);
  const applicationIds = [...new Set(arrivals.map(({ applicationId }) => applicationId))];
  const claims = (await readEnterable(sql, applicationIds)).flatMap((automation) =>
    (byAutomation.get(automation.id) ?? [])
      .filter(
        ({ kind, at }) =>
          kind in automation.trigger &&
          // A date that is past within `maxAge` enters also when it was past before.
          (kind === 'date' || at >= automation.activatedAt),
      )
      .map((arrival) => ({ automation, of: toEntrant(arrival) })),
  );
  const made: string[] = [];
  for (const own of Map.groupBy(claims, (claim) => claim.automation.applicationId).values())
    made.push(...(await inHalves(stepping, own, (some) => decide(sql, now, some))));
  return made;
}

const toEntrant = ({ userId, kind, at }: Arrival): Entrant => ({
  userId,
  key: '',
  requestId: uuidOf(`${kind} ${at} ${userId}`),
  messageIndex: 0,
  receivedAt: at,
  time: at,
  messageId: null,
  settlesUntil: null,
  kind,
});
