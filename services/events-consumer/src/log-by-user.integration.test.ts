import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { listIngestLog } from '@tidings/events/ingest-log/ingest-log';
import { readUserFilter } from '@tidings/events/ingest-log/user-filter';
import { systemClock, systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const [EVES, ADAS] = [systemIds.uuid(), systemIds.uuid()];

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const record = (overrides: Partial<IngestRecord>): IngestRecord =>
    ingestRecord({ applicationId, customUserId: 'ada', ...overrides });
  const apply = async (...records: readonly IngestRecord[]): Promise<void> => {
    await applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records);
    await applyRecords(db, { consumer: 'events', apply: applyEventMessages }, records);
  };
  await apply(
    record({
      customUserId: 'eve',
      serviceUserId: EVES,
      messages: [userMessage(), actionMessage({ id: 'eves' })],
    }),
    record({
      messages: [
        userMessage({ firstName: 'Ada', time: 2_000_000_000_000 }),
        actionMessage({ id: 'first', time: 1 }),
      ],
    }),
  );
  return {
    applicationId,
    send: (overrides: Partial<IngestRecord>) => apply(record(overrides)),
    async logOf(customUserId: string): Promise<string[]> {
      const userFilter = await readUserFilter(db.sql, applicationId, customUserId);
      const { items } = await listIngestLog(db, { applicationId, limit: 50, userFilter });
      return items.flatMap((entry) =>
        'reason' in entry ? `${entry.outcome} ${entry.reason}` : [],
      );
    },
    async countNamed(): Promise<number> {
      const { rows } = await db.sql.query<{ n: number }>(
        'select count(*)::int as n from receipts where application_id = $1 and user_id is not null and message_id <> $2',
        [applicationId, 'eves'],
      );
      return rows[0]?.n ?? -1;
    },
  };
}

const REJECTED: readonly (readonly [string, Partial<IngestRecord>])[] = [
  ['duplicate duplicate_id', { messages: [actionMessage({ id: 'first' })] }],
  ['duplicate duplicate_id', { messages: [userMessage({ id: 'first' })] }],
  ['dropped empty_name', { messages: [actionMessage({ customName: ' ' })] }],
  ['dropped unknown_slug', { messages: [actionMessage({ name: 'zzzzz', customName: null })] }],
  ['dropped invalid_service_user_id', { serviceUserId: 'a phone', messages: [actionMessage()] }],
  ['dropped invalid_service_user_id', { serviceUserId: 'a phone', messages: [userMessage()] }],
  ['dropped identity_conflict', { serviceUserId: EVES, messages: [actionMessage()] }],
  ['processed stale_profile_field', { messages: [userMessage({ firstName: 'Eva', time: 1 })] }],
];

describe('the log of a user includes', () => {
  test.each(REJECTED)('%s, and the log of another user does not', async (entry, sent) => {
    const { send, logOf } = await newTenant();

    await send(sent);

    expect(await logOf('ada')).toEqual([entry]);
    expect(await logOf('eve')).toEqual([]);
  });

  test('a message with a repeated id in its batch', async () => {
    const { send, logOf } = await newTenant();

    await send({ messages: [actionMessage({ id: 'twice' }), actionMessage({ id: 'twice' })] });

    expect(await logOf('ada')).toEqual(['duplicate duplicate_id']);
  });

  test('no entry without a user', async () => {
    const { send, logOf } = await newTenant();

    await send({ customUserId: 'unseen', serviceUserId: 'a phone' });
    await send({ customUserId: '', serviceUserId: EVES });

    expect([await logOf('unseen'), await logOf('ada'), await logOf('eve')]).toEqual([[], [], []]);
  });
});

describe('an ordinary processed user message is in the log of its user', () => {
  const LATER = 2_000_000_000_001;
  const settle = async (...sent: readonly Partial<IngestRecord>[]) => {
    const { applicationId, send } = await newTenant();
    for (const each of sent) await send(each);
    return async (customUserId: string): Promise<string[]> => {
      const { items } = await listIngestLog(db, {
        applicationId,
        limit: 50,
        outcome: 'processed',
        userFilter: await readUserFilter(db.sql, applicationId, customUserId),
      });
      return items.flatMap((entry) =>
        'type' in entry && entry.type === 'user' && entry.id.startsWith('u') ? [entry.id] : [],
      );
    };
  };

  test.each<[string, readonly Partial<IngestRecord>[], readonly string[]]>([
    [
      'by a field that still has its value',
      [{ messages: [userMessage({ id: 'u1', city: 'Paris' })] }],
      ['u1'],
    ],
    [
      'by a field that it cleared',
      [{ messages: [userMessage({ id: 'u1', time: LATER, firstName: null })] }],
      ['u1'],
    ],
    [
      'by a custom attribute',
      [{ messages: [userMessage({ id: 'u1', customAttributes: { plan: 'pro' } })] }],
      ['u1'],
    ],
    [
      'by the custom attributes that it cleared',
      [{ messages: [userMessage({ id: 'u1', customAttributes: null })] }],
      ['u1'],
    ],
    [
      'by an event of its request, where it set nothing',
      [{ messages: [userMessage({ id: 'u1' }), actionMessage()] }],
      ['u1'],
    ],
    [
      'by a message of its request that was not stored',
      [{ messages: [userMessage({ id: 'u1' }), actionMessage({ id: 'first' })] }],
      ['u1'],
    ],
    [
      'each of several',
      [
        { messages: [userMessage({ id: 'u1', city: 'Paris' })] },
        { messages: [userMessage({ id: 'u2', country: 'FR' })] },
      ],
      ['u2', 'u1'],
    ],
    [
      'when it was anonymous',
      [
        {
          customUserId: null,
          serviceUserId: ADAS,
          messages: [userMessage({ id: 'u1', city: 'Paris' })],
        },
        { serviceUserId: ADAS, messages: [actionMessage()] },
      ],
      ['u1'],
    ],
    [
      'not when another message has replaced all its values',
      [
        { messages: [userMessage({ id: 'u1', firstName: 'Adah', time: LATER })] },
        { messages: [userMessage({ id: 'u2', firstName: 'Ada', time: LATER + 1 })] },
      ],
      ['u2'],
    ],
  ])('%s', async (_how, sent, ids) => {
    const logOf = await settle(...sent);

    expect(await logOf('ada')).toEqual(ids);
    expect(await logOf('eve')).toEqual([]);
  });
});

test('a deleted user is in no receipt any more, with any outcome, and a message in flight names no user', async () => {
  const { applicationId, send, countNamed } = await newTenant();
  for (const [, sent] of REJECTED) await send(sent);
  await send({
    receivedAt: Date.now() - 40 * 86_400_000,
    messages: [actionMessage({ id: 'first' })],
  });
  // And the late duplicate. The receipt of the stored event is derived.
  expect(await countNamed()).toBe(REJECTED.length + 1);
  const late = { receivedAt: Date.now() };

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });
  await send({ ...late, serviceUserId: 'a phone' });
  await send(late);

  expect(await countNamed()).toBe(0);
});
