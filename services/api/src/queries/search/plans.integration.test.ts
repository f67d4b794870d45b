import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { createOwnDatabase, createTestApplication, newCampaign } from '@tidings/testing';
import { acceptCampaign } from '@tidings/delivery/accept';
import { insertCampaigns } from '../../testing/log-rows.ts';
import { search } from './search.ts';

/** Of its own, since other tests change the statistics of a shared one. */
const db = await createOwnDatabase();
afterAll(() => db.close());

const USERS = 20_000;
const CAMPAIGNS = 3_000;
/**
 * Each source reads a few rows of each index. A step reads 250 campaigns, and the id of a request
 * 1,000 that came after it.
 */
const ROWS_MAX = 1_000;

const [large, small] = [await createTestApplication(db), await createTestApplication(db)];

/** An application with all rows, and one with few: each has statistics that suit the other. */
beforeAll(async () => {
  for (const [{ applicationId }, share] of [
    [large, 1],
    [small, 0.01],
  ] as const) {
    await db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at, fields, phone_e164)
       select uuidv7(), $1, 'u-' || n, now(), jsonb_build_object('firstName', 'Anna', 'lastName', 'Berlinger' || n, 'email', 'person' || n || '@example.org'), '+4915' || n
       from generate_series(1, $2::int) as n`,
      [applicationId, USERS * share],
    );
    const first = newCampaign({ applicationId });
    await acceptCampaign(db, first);
    await insertCampaigns(db, first.campaignId, CAMPAIGNS * share);
  }
  await db.sql.query('analyze users, campaigns');
}, 60_000);

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};

/** The most rows that one node of a plan read of a table, whether it used them or not. */
function mostRead({ Plans: below = [], ...node }: Plan): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return Math.max(node['Relation Name'] === undefined ? 0 : own, ...below.map(mostRead));
}

test.each<[string, string]>([
  ['a letter', 'a'],
  ['a first name', 'anna'],
  ['both names', 'anna b'],
  ['both names in turn', 'berlinger17, anna'],
  ['a last name', 'berlinger1'],
  ['an address', 'person12'],
  ['an id', 'u-1'],
  ['a number', '+49151234'],
  ['nothing', 'qqq'],
  ['words of nothing', 'qqq 1'],
  ['a campaign', 'another'],
  ['a UUID', systemIds.uuid()],
  ['an event of a webhook', `evt_${'1'.repeat(32)}`],
])('a search for %s reads few rows of a table', async (_name, text) => {
  for (const { applicationId } of [large, small]) {
    const read: Record<string, number> = {};
    const explained = (sql: Sql): Sql => {
      const query = async (statement: string, values: unknown[]) => {
        const { rows } = await sql.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
          `explain (analyze, format json) ${statement}`,
          values,
        );
        for (const row of rows) {
          const rowsRead = mostRead(row['QUERY PLAN'][0].Plan);
          if (rowsRead > ROWS_MAX) read[statement] = rowsRead;
        }
        return sql.query(statement, values);
      };
      return { query } as unknown as Sql;
    };

    await search((_id, work) => db.transaction((sql) => work(explained(sql), () => false)), {
      applicationId,
      defaultCountry: 'DE',
      text,
      mayOpen: () => true,
    });

    expect(read).toEqual({});
  }
});
