import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { takeRecords } from '@tidings/events/take-records';
import { systemClock, systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  eventually,
  untilBlockedBy,
  userMessage,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';
import { LATER_MS, deletableTenant } from './testing/deletable-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => deletableTenant(db);

describe('a consumer that is applying a record of the user', () => {
  const consumers = [
    ['users', applyUserMessages],
    ['events', applyEventMessages],
  ] as const;
  /** The consumer's transaction up to its commit, exclusive. */
  const applyIn = async (
    sql: Sql,
    [consumer, apply]: (typeof consumers)[number],
    sent: IngestRecord,
  ): Promise<void> => apply(sql, await takeRecords(sql, consumer, [sent]));

  test.each(consumers)(
    'is waited for, and what it wrote is deleted too (%s)',
    async (...consumer) => {
      const { record, apply, remove, remains } = await newTenant();
      await apply(record());

      const { removing } = await db.transaction(async (sql) => {
        await applyIn(sql, consumer, record({ serviceUserId: systemIds.uuid() }));
        const waiting = remove();
        await untilBlockedBy(db, sql);
        return { removing: waiting };
      });

      expect(await removing).toBe(true);
      expect(await remains()).toBe(0);
    },
  );

  test('is waited for after the many events are deleted: it waits for none of them', async () => {
    const { record, apply, remove, count, remains } = await newTenant();
    for (let batch = 0; batch < 3; batch += 1)
      await apply(record({ messages: Array.from({ length: 900 }, () => actionMessage()) }));

    const { removing } = await db.transaction(async (sql) => {
      await applyIn(sql, consumers[0], record());
      const waiting = remove();
      await eventually(async () => expect(await count('events where true')).toBe(0));
      await untilBlockedBy(db, sql);
      return { removing: waiting };
    });

    expect(await removing).toBe(true);
    expect(await remains()).toBe(0);
  });

  test('that adds more than one step is waited for, and what it added is deleted in steps again', async () => {
    const { record, apply, remove, remains } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await apply(record({ serviceUserId }));

    const { removing } = await db.transaction(async (sql) => {
      await applyIn(
        sql,
        consumers[1],
        record({
          serviceUserId,
          messages: Array.from({ length: 20 }, (_, index) => actionMessage({ time: index })),
        }),
      );
      const waiting = remove('ada', { rowsPerStep: 5 });
      await untilBlockedBy(db, sql);
      return { removing: waiting };
    });

    expect(await removing).toBe(true);
    expect(await remains()).toBe(0);
  });

  test.each(consumers)(
    'waits for a deletion that came first, and then drops the record (%s)',
    async (...consumer) => {
      const { applicationId, record, apply, remains, outcomes } = await newTenant();
      await apply(record());
      const sent = record();

      // The statements of the deletion, held open before its commit.
      const { applying } = await db.transaction(async (sql) => {
        await deleteUser(
          { ...db, transaction: (work) => work(sql) },
          { applicationId, customUserId: 'ada', clock: systemClock },
        );
        const waiting = applyRecords(db, { consumer: consumer[0], apply: consumer[1] }, [sent]);
        await untilBlockedBy(db, sql);
        return { applying: waiting };
      });
      await applying;

      expect((await outcomes(sent)).filter((outcome) => outcome !== 'pending')).toEqual([
        'dropped unregistered_user',
      ]);
      expect(await remains()).toBe(0);
    },
  );

  test('of another application is not waited for', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await tenant.apply(tenant.record());

    await db.transaction(async (sql) => {
      await applyIn(sql, consumers[0], other.record());
      expect(await tenant.remove()).toBe(true);
    });
  });

  test('and occasional deletions, many times concurrently, leave nothing from before the last deletion', async () => {
    const { record, applyUsers, applyEvents, remove, remains } = await newTenant();
    const serviceUserIds = Array.from({ length: 4 }, () => systemIds.uuid());
    const sent = Array.from({ length: 60 }, (_, index) =>
      record({
        customUserId: index % 4 === 0 ? null : 'ada',
        serviceUserId:
          index % 3 === 0 && index % 4 !== 0 ? null : (serviceUserIds[index % 4] ?? null),
      }),
    );

    await Promise.all([
      ...sent.map((item) => applyUsers(item)),
      ...sent.map((item) => applyEvents(item)),
      ...Array.from({ length: 5 }, () => remove()),
    ]);
    await applyUsers(
      record({
        customUserId: 'ada',
        serviceUserId: serviceUserIds[0] ?? null,
        receivedAt: Date.now() + LATER_MS,
        messages: [userMessage()],
      }),
    );
    for (const serviceUserId of serviceUserIds)
      await applyUsers(
        record({ serviceUserId, receivedAt: Date.now() + LATER_MS, messages: [userMessage()] }),
      );
    await remove();

    expect(await remains()).toBe(0);
  }, 60_000);
});
