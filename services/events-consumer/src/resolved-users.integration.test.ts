import { afterAll, describe, expect, test } from '@jest/globals';
import type { SettingsChange } from '@tidings/accounts/applications';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const db = connectTestDatabase({ poolMax: 30 });
afterAll(() => db.close());

/** An application that extends the second duplicate rule by default. */
async function newTenant({ dedupeResolvedUsers = true } = {}) {
  const { applicationId } = await createTestApplication(db);
  await updateApplication(db, applicationId, { settings: { dedupeResolvedUsers } });
  const outcome = async ({ requestId }: IngestRecord): Promise<string> => {
    const report = await readIngestReport(db, applicationId, requestId);
    return (report?.messages ?? []).map((message) => message.reason ?? message.outcome).join();
  };
  const record = (ids: Partial<IngestRecord>, time = 1): IngestRecord =>
    ingestRecord({ applicationId, ...ids, messages: ids.messages ?? [actionMessage({ time })] });
  const applyEvents = (...records: readonly IngestRecord[]) =>
    applyRecords(db, { consumer: 'events', apply: applyEventMessages }, records);
  return {
    record,
    applyEvents,
    outcome,
    /** The outcome of a single event. */
    async sendEvent(ids: Partial<IngestRecord>, time = 1): Promise<string> {
      const sent = record(ids, time);
      await applyEvents(sent);
      return outcome(sent);
    },
    change: (settings: SettingsChange) => updateApplication(db, applicationId, { settings }),
    see: (ids: Partial<IngestRecord>) =>
      applyRecords(db, { consumer: 'users', apply: applyUserMessages }, [
        record({ ...ids, messages: [userMessage()] }),
      ]),
  };
}

describe('two events with the same time, with the second rule extended', () => {
  const [phone, laptop] = [systemIds.uuid(), systemIds.uuid()];

  test('and a customUserId alone are duplicates; those with other times or users are not', async () => {
    const { see, sendEvent } = await newTenant();
    await see({ customUserId: 'ada' });
    await see({ customUserId: 'eve' });

    expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');
    expect(await sendEvent({ customUserId: 'ada' })).toBe('duplicate_user_time');
    expect(await sendEvent({ customUserId: 'ada' }, 2)).toBe('processed');
    expect(await sendEvent({ customUserId: 'eve' })).toBe('processed');
  });

  test.each(['the serviceUserId first', 'the customUserId first'])(
    'one by the first serviceUserId and one by the customUserId are duplicates (%s)',
    async (order) => {
      const { see, sendEvent } = await newTenant();
      await see({ customUserId: 'ada', serviceUserId: phone });
      const [first, second] =
        order === 'the serviceUserId first'
          ? [{ serviceUserId: phone }, { customUserId: 'ada' }]
          : [{ customUserId: 'ada' }, { serviceUserId: phone }];

      expect(await sendEvent(first)).toBe('processed');
      expect(await sendEvent(second)).toBe('duplicate_user_time');
      expect(await sendEvent({ customUserId: 'ada', serviceUserId: phone })).toBe(
        'duplicate_user_time',
      );
    },
  );

  test('one by a further serviceUserId is no duplicate', async () => {
    const { see, sendEvent } = await newTenant();
    await see({ customUserId: 'ada', serviceUserId: phone });
    await see({ customUserId: 'ada', serviceUserId: laptop });

    expect(await sendEvent({ serviceUserId: laptop })).toBe('processed');
    expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');
    expect(await sendEvent({ customUserId: 'ada' })).toBe('duplicate_user_time');
  });

  test('are compared by the same serviceUserId after an older one was joined', async () => {
    const { see, sendEvent } = await newTenant();
    await see({ serviceUserId: laptop });
    await see({ customUserId: 'ada', serviceUserId: phone });
    expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');

    await see({ customUserId: 'ada', serviceUserId: laptop });

    expect(await sendEvent({ customUserId: 'ada' })).toBe('duplicate_user_time');
    expect(await sendEvent({ serviceUserId: phone })).toBe('duplicate_user_time');
  });

  test('of a user that was only anonymous are compared by that serviceUserId', async () => {
    const { see, sendEvent } = await newTenant();
    await see({ serviceUserId: phone });
    await see({ customUserId: 'ada', serviceUserId: phone });

    expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');
    expect(await sendEvent({ serviceUserId: phone })).toBe('duplicate_user_time');
  });

  test('in one batch are duplicates, also for a user created by the batch', async () => {
    const { record, applyEvents, outcome } = await newTenant();
    const sent = [
      record({ customUserId: 'ada', serviceUserId: phone }),
      record({ customUserId: 'ada' }),
      record({ customUserId: 'ada' }, 2),
    ];

    await applyEvents(...sent);

    expect(await Promise.all(sent.map(outcome))).toEqual([
      'unregistered_user',
      'duplicate_user_time',
      'unregistered_user',
    ]);
  });

  test('in fifty concurrent transactions are stored once', async () => {
    const { see, record, applyEvents, outcome } = await newTenant();
    await see({ customUserId: 'ada', serviceUserId: phone });
    const sent = Array.from({ length: 50 }, (_, index) =>
      record(index % 3 === 0 ? { serviceUserId: phone } : { customUserId: 'ada' }),
    );

    await Promise.all(sent.map((item) => applyEvents(item)));

    const outcomes = await Promise.all(sent.map(outcome));
    expect(outcomes.filter((item) => item === 'processed')).toHaveLength(1);
    expect(outcomes.filter((item) => item === 'duplicate_user_time')).toHaveLength(49);
  });

  test.each([
    ['an unproved page', {}, ['processed', 'processed'], 'processed'],
    [
      'a trusted page',
      { userTokens: 'optional' },
      ['processed', 'duplicate_user_time'],
      'duplicate_user_time',
    ],
  ] as const)(
    'of %s and of the back end: only what is proved takes the time',
    async (_, settings, ofPage, ofBackEnd) => {
      const { see, sendEvent, change } = await newTenant();
      await change(settings);
      await see({ customUserId: 'ada' });

      expect([
        await sendEvent({ keyType: 'client', customUserId: 'ada' }),
        await sendEvent({ keyType: 'client', customUserId: 'ada' }),
      ]).toEqual(ofPage);
      expect(
        await sendEvent({
          customUserId: 'ada',
          messages: [actionMessage({ type: 'revenue', time: 1, revenue: 9, currency: 'EUR' })],
        }),
      ).toBe(ofBackEnd);
      expect(await sendEvent({ customUserId: 'ada' })).toBe('duplicate_user_time');
    },
  );

  test('of business events without a user are no duplicates', async () => {
    const { record, applyEvents, outcome } = await newTenant();
    const sent = [1, 2].map(() =>
      record({ messages: [actionMessage({ type: 'businessEvent', time: 1 })] }),
    );

    await applyEvents(...sent);

    expect(await Promise.all(sent.map(outcome))).toEqual(['processed', 'processed']);
  });
});

test('by default distinct events of one millisecond stay', async () => {
  const { see, sendEvent } = await newTenant({ dedupeResolvedUsers: false });
  await see({ customUserId: 'ada' });

  expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');
  expect(await sendEvent({ customUserId: 'ada' })).toBe('processed');
});
