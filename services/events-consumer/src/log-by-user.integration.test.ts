import { afterAll, describe, expect, test } from '@jest/globals';
import { deleteUser, listIngestLog, readWhose, type IngestRecord } from '@tidings/db';
import { systemClock, systemIds } from '@tidings/platform';
import { actionMessage, applyRecords, connectTestDatabase, createTestApplication, ingestRecord, userMessage } from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const EVES = systemIds.uuid();

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const record = (overrides: Partial<IngestRecord>): IngestRecord => ingestRecord({ applicationId, customUserId: 'ada', ...overrides });
  const apply = async (...records: readonly IngestRecord[]): Promise<void> => {
    await applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records);
    await applyRecords(db, { consumer: 'events', apply: applyEventMessages }, records);
  };
  await apply(
    record({ customUserId: 'eve', serviceUserId: EVES, messages: [userMessage(), actionMessage({ id: 'eves' })] }),
    record({ messages: [userMessage({ firstName: 'Ada', time: 2_000_000_000_000 }), actionMessage({ id: 'first', time: 1 })] }),
  );
  return {
    applicationId,
    send: (overrides: Partial<IngestRecord>) => apply(record(overrides)),
    async logOf(customUserId: string): Promise<string[]> {
      const whose = await readWhose(db.sql, applicationId, customUserId);
      const { items } = await listIngestLog(db, { applicationId, limit: 50, whose });
      return items.flatMap((entry) => ('reason' in entry ? `${entry.outcome} ${entry.reason}` : []));
    },
    async countNamed(): Promise<number> {
      const { rows } = await db.sql.query<{ n: number }>('select count(*)::int as n from receipts where application_id = $1 and user_id is not null and message_id <> $2', [applicationId, 'eves']);
      return rows[0]?.n ?? -1;
    },
  };
}

const REFUSED: readonly (readonly [string, Partial<IngestRecord>])[] = [
  ['duplicate duplicate_id', { messages: [actionMessage({ id: 'first' })] }],
  ['duplicate duplicate_id', { messages: [userMessage({ id: 'first' })] }],
  ['dropped empty_name', { messages: [actionMessage({ customName: ' ' })] }],
  ['dropped unknown_slug', { messages: [actionMessage({ name: 'zzzzz', customName: null })] }],
  ['dropped invalid_service_user_id', { serviceUserId: 'a phone', messages: [actionMessage()] }],
  ['dropped invalid_service_user_id', { serviceUserId: 'a phone', messages: [userMessage()] }],
  ['dropped identity_conflict', { serviceUserId: EVES, messages: [actionMessage()] }],
  ['processed stale_profile_field', { messages: [userMessage({ firstName: 'Eva', time: 1 })] }],
];

describe('the log of a user has', () => {
  test.each(REFUSED)('%s, and the log of another has not', async (told, sent) => {
    const { send, logOf } = await newTenant();

    await send(sent);

    expect(await logOf('ada')).toEqual([told]);
    expect(await logOf('eve')).toEqual([]);
  });

  test('a message with the id of another in its batch', async () => {
    const { send, logOf } = await newTenant();

    await send({ messages: [actionMessage({ id: 'twice' }), actionMessage({ id: 'twice' })] });

    expect(await logOf('ada')).toEqual(['duplicate duplicate_id']);
  });

  test('nothing that names nobody', async () => {
    const { send, logOf } = await newTenant();

    await send({ customUserId: 'stranger', serviceUserId: 'a phone' });
    await send({ customUserId: '', serviceUserId: EVES });

    expect([await logOf('stranger'), await logOf('ada'), await logOf('eve')]).toEqual([[], [], []]);
  });
});

test('a deleted user is in no receipt any more, whatever became of the message, and one that was on its way names nobody', async () => {
  const { applicationId, send, countNamed } = await newTenant();
  for (const [, sent] of REFUSED) await send(sent);
  await send({ receivedAt: Date.now() - 40 * 86_400_000, messages: [actionMessage({ id: 'first' })] });
  expect(await countNamed()).toBe(REFUSED.length + 2);
  const late = { receivedAt: Date.now() };

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });
  await send({ ...late, serviceUserId: 'a phone' });
  await send(late);

  expect(await countNamed()).toBe(0);
});
