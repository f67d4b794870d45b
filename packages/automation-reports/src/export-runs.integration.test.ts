import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { statementsIn } from '@tidings/postgres/statements';
import { createOwnDatabase } from '@tidings/testing';
import { exportAutomations, type ExportedTrigger } from './export-runs.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const AT = Date.UTC(2026, 10, 1, 9);
const [applicationId, userId, cart, monday] = Array.from({ length: 4 }, () => systemIds.uuid());

beforeAll(async () => {
  await db.sql.query(
    `insert into automations (id, application_id, slug, name, status, draft, draft_version,
       updated_by)
     select x.id, $1, x.slug, x.slug, 'draft', '{}', 1, 'test'
     from unnest($2::uuid[], array['cart', 'monday']) as x(id, slug)`,
    [applicationId, [cart, monday]],
  );
  // Many at one instant, and instants that differ by microseconds.
  await db.sql.query(
    `insert into automation_triggers (automation_id, application_id, request_id, message_index,
       user_id, at, result, kind, occurred_at)
     select $1::uuid, $3::uuid, uuidv7(), n, $4::uuid, to_timestamp($5::float8 / 1000) + (n / 700) * interval '1 us',
       're_entry', null, null
     from generate_series(1, 2000) n
     union all
     select $2::uuid, $3::uuid, uuidv7(), 0, $4::uuid, to_timestamp($5::float8 / 1000), 'entered', 'schedule',
       to_timestamp($5::float8 / 1000)`,
    [cart, monday, applicationId, userId, AT],
  );
  await db.sql.query('analyze automation_triggers');
});

test('all triggers of a person are exported once, with what could have let them in', async () => {
  const { triggers } = await exportAutomations(db.sql, userId as string);
  const exported: ExportedTrigger[] = [];
  for await (const trigger of triggers) exported.push(trigger);

  expect(exported).toHaveLength(2_001);
  expect(new Set(exported.map(({ requestId }) => requestId)).size).toBe(2_001);
  expect(exported.find(({ automation }) => automation === 'monday')).toMatchObject({
    kind: 'schedule',
    occurredAt: AT,
    result: 'entered',
  });
  expect(exported.find(({ automation }) => automation === 'cart')).toMatchObject({
    kind: null,
    occurredAt: null,
  });
});

test('a page of triggers does not sort all that a person has', async () => {
  const statement = statementsIn(import.meta.dirname)('triggers-to-export');
  const after = (
    await db.sql.query<{ automation_id: string; place: string; request_id: string; no: number }>(
      `select automation_id, at::text as place, request_id, message_index as no
       from automation_triggers where user_id = $1 and automation_id = $2
       order by at, request_id, message_index offset 699 limit 1`,
      [userId, cart],
    )
  ).rows[0];
  const { rows } = await db.sql.query<Record<string, readonly [{ readonly Plan: Plan }]>>(
    `explain (analyze, format json) ${statement}`,
    [userId, after?.automation_id, after?.place, after?.request_id, after?.no, 100],
  );
  const read = mostRead(
    (Object.values(rows[0] ?? {})[0] as readonly [{ readonly Plan: Plan }])[0].Plan,
  );

  expect(read).toBeGreaterThanOrEqual(100);
  // Those of an instant, of which there are seven hundred.
  expect(read).toBeLessThan(1_500);
});

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
};

const mostRead = (plan: Plan): number =>
  Math.max(
    plan['Relation Name'] === 'automation_triggers' ? plan['Actual Rows'] : 0,
    ...(plan.Plans ?? []).map(mostRead),
  );
