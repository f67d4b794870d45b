import { expect, test } from '@jest/globals';
import { toProgram } from '@tidings/automations/program';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { randomFrom } from '@tidings/testing';
import { namedOf } from './named-events.ts';
import { rehearsePerson } from './rehearse-person.ts';
import type { Rehearsing } from './rehearsing.ts';
import { createTally } from './tally.ts';
import { createAutomation, withoutRecheck } from './testing/agreement/definitions.ts';
import { createHistory, HOUR_MS, type Person } from './testing/agreement/history.ts';
import { byPlace, evaluate, isSuch, isTrue, type PlainRun } from './testing/agreement/plain.ts';
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
          calendar: () => Promise.reject(new Error('no step waits until a time')),
          quietUntil: () => Promise.resolve([]),
          isUnsubscribed: () => Promise.resolve(false),
          unreachable: (channel) =>
            Promise.resolve(channel === 'EMAIL' && person.email !== null ? null : 'no_address'),
        },
      },
    );
  expect(tally.result().entered).toBe(tally.kept.length);
  return tally.kept.map(({ userId, ...run }) =>
    toPlain({ ...run, customUserId: userId.replace('user ', '') }),
  );
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a rehearsal and a plain evaluator agree on 25 definitions, seed %i',
  async (seed) => {
    const random = randomFrom(1_000 + seed);
    const people = createHistory(random, { from: FROM, hours: HOURS, people: 12 });
    for (const person of people) person.userId = `user ${person.customUserId}`;
    let runs = 0;
    for (let index = 0; index < 25; index += 1) {
      const made = createAutomation(random);
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
