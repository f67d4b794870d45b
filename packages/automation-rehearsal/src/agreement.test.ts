import { expect, test } from '@jest/globals';
import { toProgram } from '@tidings/automations/program';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { randomFrom } from '@tidings/testing';
import { namedOf } from './named-events.ts';
import { rehearsePerson } from './rehearse-person.ts';
import type { Rehearsing } from './rehearsing.ts';
import { createTally } from './tally.ts';
import { createAutomation, withoutRecheck } from './testing/agreement/definitions.ts';
import { createHistory, HOUR_MS, profileAt, type Person } from './testing/agreement/history.ts';
import { endOfQuiet } from './testing/agreement/calendar.ts';
import { isSuch, isTrue, QUIET } from './testing/agreement/facts.ts';
import { byPlace, evaluate, type PlainRun } from './testing/agreement/plain.ts';
import { toPlain } from './testing/agreement/to-plain.ts';

const FROM = Date.UTC(2026, 0, 5);
const HOURS = 60;
const TO = FROM + (HOURS + 30) * HOUR_MS;

/** As in the agreement with the engine, without a database. */
async function rehearse(
  definition: AutomationDefinition,
  people: readonly Person[],
): Promise<PlainRun[]> {
  const { trigger } = definition;
  if (!('event' in trigger)) throw new TypeError('a trigger by events');
  const named = namedOf(definition, trigger);
  const of: Rehearsing = {
    applicationId: '',
    program: toProgram(definition),
    trigger,
    triggerSlugs: new Set(['cartd']),
    named,
    context: {
      applicationId: '',
      definitions: (['cartd', 'order', 'view'] as const).map((name) => ({
        slug: name,
        kind: 'action',
        name,
        discarded: false,
        mergedInto: null,
      })),
      segments: new Map(),
      funnels: new Map(),
      eventRetentionDays: null,
      deliveryRetentionDays: null,
    },
    from: FROM,
    to: TO,
  };
  const tally = createTally(definition);
  for (const person of people)
    await rehearsePerson(
      of,
      {
        ...person,
        events: person.deeds.map((deed, index) => ({
          userId: person.userId,
          requestId: '',
          messageIndex: index,
          messageId: deed.messageId,
          receivedAt: deed.receivedAt,
          time: BigInt(deed.time),
          slug: deed.name,
          isProved: deed.isProved,
          isNamed: named.list.map((each) => isSuch(deed, each)),
          value: deed.attributes.item ?? null,
        })),
      },
      {
        tally,
        goesOn: () => Promise.resolve(true),
        asker: {
          isTrue: (condition, _userId, at) => Promise.resolve(isTrue(condition, person, at)),
          calendar: () =>
            Promise.resolve({
              timeZone: person.timeZone ?? 'UTC',
              applicationZone: 'UTC',
              date: profileAt(person, FROM).endsOn,
            }),
          unreachable: (channel) => Promise.resolve(reasonOf(definition, person, channel)),
          quietUntil: (channels, _userId, at) =>
            Promise.resolve(
              channels.map((channel) =>
                definition.purpose === 'marketing' && channel === 'EMAIL'
                  ? endOfQuiet(at, QUIET, person.timeZone ?? 'UTC')
                  : null,
              ),
            ),
          isUnsubscribed: () =>
            Promise.resolve(person.email !== null && profileAt(person, FROM).isUnsubscribed),
        },
      },
    );
  expect(tally.result().entered).toBe(tally.kept.length);
  return tally.kept.map(({ userId, ...run }) =>
    toPlain({ ...run, customUserId: userId.replace('user ', '') }),
  );
}

const reasonOf = ({ purpose }: AutomationDefinition, person: Person, channel: string) => {
  if (channel !== 'EMAIL' || person.email === null) return 'no_address';
  const { isUnsubscribed } = profileAt(person, FROM);
  return purpose === 'marketing' && isUnsubscribed ? 'unsubscribed' : null;
};

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a rehearsal and a plain evaluator agree on 25 definitions, seed %i',
  async (seed) => {
    const random = randomFrom(1_000 + seed);
    const people = createHistory(random, { from: FROM, hours: HOURS, people: 12 });
    for (const person of people) person.userId = `user ${person.customUserId}`;
    let runs = 0;
    for (let index = 0; index < 25; index += 1) {
      const made = createAutomation(random, 'events');
      const definition = index % 3 === 0 ? withoutRecheck(made) : made;
      const expected = people.flatMap((person) =>
        evaluate(definition, person, { from: FROM, to: TO }),
      );
      const said = JSON.stringify(definition);
      expect([said, (await rehearse(definition, people)).toSorted(byPlace)]).toEqual([
        said,
        expected.toSorted(byPlace),
      ]);
      runs += expected.length;
    }
    expect(runs).toBeGreaterThan(50);
  },
);
