import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { openAuditEntry } from '@tidings/accounts/audit-log';
import { insertDeadLetter } from '@tidings/events/dead-letters';
import { readDefinitionUsage } from '@tidings/events/definitions/usage';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase } from '@tidings/testing';
import { retention } from './retention.ts';
import { DAY_MS, NOW, CUTOFF, SETTINGS, pass } from '../testing/retention-pass.ts';

jest.setTimeout(30_000);

describe('data that grows with time and not with requests', () => {
  let db: Database;
  beforeAll(async () => {
    db = await createOwnDatabase();
  });
  afterAll(() => db.close());

  test('dead letters are deleted 30 days after they were written; a replaying one, 30 days after the request', async () => {
    const deadLetters = ['waiting', 'replayed', 'discarded', 'replaying'].flatMap((status) =>
      [CUTOFF - 1, CUTOFF].flatMap((createdAt) =>
        [CUTOFF - 1, CUTOFF].map((updatedAt) => ({
          status,
          createdAt,
          updatedAt,
          id: systemIds.uuid(),
        })),
      ),
    );
    for (const [offset, { status, createdAt, updatedAt, id }] of deadLetters.entries()) {
      await insertDeadLetter(db.sql, {
        id,
        consumer: 'events',
        applicationId: null,
        requestId: null,
        topic: 'some',
        partition: 0,
        offset: BigInt(offset),
        key: null,
        value: Buffer.from('x'),
        headers: {},
        errorClass: 'unreadable',
        sqlState: null,
      });
      await db.sql.query(
        'update dead_letters set status = $2, created_at = $3, updated_at = $4 where id = $1',
        [id, status, new Date(createdAt), new Date(updatedAt)],
      );
    }

    await pass(db);

    const kept = deadLetters.filter(
      ({ status, createdAt, updatedAt }) =>
        createdAt === CUTOFF || (status === 'replaying' && updatedAt === CUTOFF),
    );
    const { rows } = await db.sql.query<{ id: string }>('select id from dead_letters');
    expect(rows.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort());
    expect(kept.length).toBe(9);
  });

  test('hours and quarter hours past their retention are rolled up into one row per definition and currency, with the same totals', async () => {
    const { applicationId } = await createApplication(db, 'has sold');
    const [from, days] = [NOW - 800 * DAY_MS, 100];
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'sold1', 'revenue', 'sold', 'predefined')",
      [applicationId],
    );
    await db.sql.query(
      `insert into definition_hours (application_id, slug, hour, currency, backend, events, revenue, last_received_at)
       select $1, 'sold1', $2::timestamptz + n * interval '1 day', currency, backend, 2, 0.1, $2::timestamptz + n * interval '1 day'
       from generate_series(0, $3 - 1) as n, unnest(array['EUR', 'USD']) as currency, unnest(array[0, 7]) as backend`,
      [applicationId, new Date(from), days],
    );
    await db.sql.query(
      `insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue) select application_id, slug, hour, currency, backend, events, revenue from definition_hours where application_id = $1
       union all select $1, 'sold1', 'infinity', 'EUR', backend, 1, 1 from unnest(array[7, 8]) as backend`,
      [applicationId],
    );
    const quarters = async () =>
      (
        await db.sql.query<{ quarter: string; n: number; events: number }>(
          `select min(quarter)::text as quarter, count(*)::int as n, sum(events)::int as events from event_quarters where application_id = $1 and backend = 0`,
          [applicationId],
        )
      ).rows[0];
    const hours = async () =>
      (
        await db.sql.query<{ hour: string; n: number }>(
          `select min(hour)::text as hour, count(*)::int as n from definition_hours where application_id = $1 and backend = 0`,
          [applicationId],
        )
      ).rows[0];
    const lastAt = from + (days - 1) * DAY_MS;
    const usage = { events: 2 * 2 * 2 * days, eventsLastDay: 0, lastReceivedAt: lastAt };

    await pass(db, { chartRetentionDays: 730 });

    // 70 of the days are past it; each currency leaves one row.
    expect(await hours()).toEqual({ hour: '-infinity', n: 2 * (1 + 30) });
    expect(await quarters()).toEqual({
      quarter: '-infinity',
      n: 2 * (1 + 30) + 1,
      events: 2 * 2 * 2 * days + 2,
    });
    expect((await readDefinitionUsage(db.sql, applicationId)).get('sold1')).toEqual(usage);
    const { rows } = await db.sql.query(
      'select currency, events::int, revenue from definition_hours where application_id = $1 and hour = $2 order by 1',
      [applicationId, '-infinity'],
    );
    expect(rows).toEqual(
      ['EUR', 'USD'].map((currency) => ({ currency, events: 2 * 2 * 70, revenue: '14.0' })),
    );

    await pass(db, { chartRetentionDays: 700 });
    expect(await hours()).toEqual({ hour: '-infinity', n: 2 });
    expect((await readDefinitionUsage(db.sql, applicationId)).get('sold1')).toEqual(usage);
  });

  test('audit log entries are deleted after their retention, and cannot be deleted or changed otherwise', async () => {
    const write = async (ageDays: number) => {
      const id = systemIds.uuid();
      await openAuditEntry(db, {
        id,
        at: NOW - ageDays * DAY_MS,
        actor: 'token:test',
        address: null,
        applicationId: null,
        action: 'POST keys',
        target: {},
        detail: {},
        requestId: id,
      });
      return id;
    };
    for (let entry = 0; entry < 20; entry += 1) await write(731 + entry);
    const kept = [await write(729), await write(31), await write(0)];
    const left = async () =>
      (await db.sql.query<{ id: string }>('select id from audit_entries order by at')).rows.map(
        ({ id }) => id,
      );

    await pass(db, { auditRetentionDays: 0 });
    expect(await left()).toHaveLength(23);
    await pass(db, { auditRetentionDays: 730 });

    expect(await left()).toEqual(kept);
    await expect(db.sql.query('delete from audit_entries')).rejects.toThrow(
      'never changed, nor deleted',
    );
    await expect(db.sql.query(`update audit_entries set actor = 'unknown'`)).rejects.toThrow(
      'never changed',
    );
    expect(await left()).toEqual(kept);
  });

  test('the audit retention cannot be shorter than the database allows', () => {
    const jobWith = (auditRetentionDays: number) =>
      retention({ ...SETTINGS, retentionIntervalMs: 100, auditRetentionDays });

    for (const auditRetentionDays of [1, 29])
      expect(() => jobWith(auditRetentionDays)).toThrow('AUDIT_RETENTION_DAYS');
    for (const auditRetentionDays of [0, 30, 730])
      expect(() => jobWith(auditRetentionDays)).not.toThrow();
  });
});

test('events are kept as long as their receipts, or longer', () => {
  const jobWith = (eventRetentionDays: number) =>
    retention({ ...SETTINGS, retentionIntervalMs: 100, retentionDays: 40, eventRetentionDays });

  for (const eventRetentionDays of [1, 39])
    expect(() => jobWith(eventRetentionDays)).toThrow(
      /EVENT_RETENTION_DAYS .* at least RETENTION_DAYS/,
    );
  for (const eventRetentionDays of [0, 40, 400])
    expect(() => jobWith(eventRetentionDays)).not.toThrow();
});
