import { expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { parseExactJson, stringifyExactJson, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createTestApplication } from '@tidings/testing';
import { createQuestionQueue } from '../question-queue.ts';
import { explainMembership } from '../explain.ts';
import { countMembers, listMembers, selectMembers, type Question } from '../members.ts';
import { DEFINITIONS, SEGMENTS } from './create-population.ts';
import { FUNNELS } from './funnel-definitions.ts';
import { insertPopulation } from './insert-population.ts';
import type { Person, Population, StoredCampaign, StoredEvent } from './population.ts';

export const NOW = Date.parse('2026-06-15T12:00:00.000Z');
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Each application has them, under ids of its own. */
export const CAMPAIGNS = {
  mail: { id: systemIds.uuid(), channel: 'EMAIL', purpose: 'marketing', tags: [] },
  second: { id: systemIds.uuid(), channel: 'EMAIL', purpose: 'marketing', tags: ['news', 'מבצע'] },
  receipt: { id: systemIds.uuid(), channel: 'EMAIL', purpose: 'transactional', tags: ['News'] },
  sms: { id: systemIds.uuid(), channel: 'SMS', purpose: 'marketing', tags: ['מבצע'] },
} as const satisfies Readonly<Record<string, StoredCampaign>>;
let messageNo = 0;
export const event = (slug: string, time: number, rest: Partial<StoredEvent> = {}) => ({
  slug,
  kind: DEFINITIONS.find((each) => each.slug === slug)?.kind ?? ('action' as const),
  time,
  receivedAt: NOW,
  messageId: `m${(messageNo += 1)}`,
  attributes: null,
  revenue: null,
  currency: null,
  isProved: true,
  ...rest,
});
export const order = (revenue: number, rest: Partial<StoredEvent> = {}) =>
  event('order', NOW - HOUR, { revenue, currency: 'EUR', ...rest });

export type Sketch = Partial<Omit<Person, 'events'>> & {
  /** Of the person; `anonymous`: under an id that was merged into it. */
  readonly events?: readonly Omit<StoredEvent, 'userId'>[];
  readonly anonymous?: readonly Omit<StoredEvent, 'userId'>[];
  /** Of an id that belongs to no user any more. */
  readonly orphaned?: readonly Omit<StoredEvent, 'userId'>[];
};

function personOf(customUserId: string, sketch: Sketch): Person {
  const { events = [], anonymous = [], orphaned = [], ...rest } = sketch;
  const id = systemIds.uuid();
  const mergedId = systemIds.uuid();
  return {
    id,
    customUserId,
    registeredAt: NOW - 100 * DAY,
    mergedIds: anonymous.length > 0 ? [mergedId] : [],
    fields: {},
    customAttributes: {},
    clocks: { fields: {}, custom: {} },
    phoneE164: null,
    devices: [],
    messages: [],
    ...rest,
    events: [
      ...events.map((each) => ({ ...each, userId: id })),
      ...anonymous.map((each) => ({ ...each, userId: mergedId })),
      ...orphaned.map((each) => ({ ...each, userId: systemIds.uuid() })),
    ],
  };
}

type Change = Partial<Population>;

type Case = readonly [
  what: string,
  condition: Condition,
  users: Readonly<Record<string, Sketch>>,
  members: string[],
];
/** The same values with new ids of campaigns. */
const withOwnCampaigns = <T>(values: T): T =>
  parseExactJson(
    Object.values(CAMPAIGNS).reduce(
      (text, { id }) => text.replaceAll(id, systemIds.uuid()),
      stringifyExactJson(values),
    ),
  ) as T;

/** Questions about users of an application of their own, in every shape. */
export function createLeafCases(db: Database) {
  const questions = createQuestionQueue(db);

  /** Users in an application of their own, and a question about them. */
  async function ask(
    condition: Condition,
    users: Readonly<Record<string, Sketch>>,
    change: Change,
  ): Promise<{ readonly question: Question; readonly persons: readonly Person[] }> {
    const { applicationId } = await createTestApplication(db);
    const own = withOwnCampaigns({
      campaigns: Object.values(CAMPAIGNS),
      condition,
      persons: Object.entries(users).map(([name, sketch]) => personOf(name, sketch)),
    });
    const { persons } = own;
    const population: Population = {
      applicationId,
      now: NOW,
      timeZone: null,
      sendUntested: false,
      channels: { EMAIL: 'ready', SMS: 'ready', WEB_PUSH: 'ready', IN_APP: 'ready' },
      definitions: DEFINITIONS,
      segments: SEGMENTS,
      funnels: FUNNELS,
      campaigns: own.campaigns,
      suppressions: [],
      ...change,
      persons,
    };
    await insertPopulation(db, population);
    const context = { ...population, eventRetentionDays: null, deliveryRetentionDays: null };
    return { question: { context, condition: own.condition, now: NOW }, persons };
  }

  /** The members among these users, which every statement must agree on. */
  async function membersOf(
    condition: Condition,
    users: Readonly<Record<string, Sketch>>,
    change: Change = {},
  ): Promise<string[]> {
    const { question, persons } = await ask(condition, users, change);
    const { applicationId } = question.context;
    const members = await questions.ask(applicationId, (sql) =>
      listMembers(sql, { ...question, memoryMiB: 16 }, { limit: 100 }),
    );
    const counted = await questions.ask(applicationId, (sql) =>
      countMembers(sql, { ...question, memoryMiB: 16 }),
    );
    const given = await selectMembers(
      db.sql,
      question,
      persons.map(({ id }) => id),
    );
    const explained = await Promise.all(
      persons.map(async ({ customUserId }) => {
        const explanation = await explainMembership(db.sql, question, {
          customUserId: String(customUserId),
        });
        return explanation?.isMember === true ? [String(customUserId)] : [];
      }),
    );
    const ofGiven = persons
      .filter(({ id }) => given.has(id))
      .map((each) => String(each.customUserId));
    expect(ofGiven.toSorted()).toEqual(members);
    expect(explained.flat().toSorted()).toEqual(members);
    expect(counted).toMatchObject({ count: members.length });
    return members as string[];
  }

  const check = (cases: readonly Case[]) =>
    test.each(cases)('%s', async (...[, condition, users, members]: Case) => {
      expect(await membersOf(condition, users)).toEqual(members);
    });

  return { ask, membersOf, check };
}
