import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { ONE_PROCESS } from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { eventually, randomFrom } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, registerUsers, type Client } from './support/client.ts';
import { countersAndRecount, countRegistered } from './support/oracles.ts';

const PEOPLE = 250;
/** Of each person, each with a key of its own. */
const CARTS = 4;
const RUNS = PEOPLE * CARTS;
const SEND_CONCURRENCY = 10;
const WITHIN_MS = 180_000;
const KILLS_WHILE_ENTERING = 4;
const KILLS_WHILE_DUE = 6;
const ENV = {
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '8000',
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
};

const mail = (id: string, title: string) =>
  ({
    id,
    send: { channel: 'EMAIL', message: { title, body: 'Cart {{ event.attributes.cart }}.' } },
  }) as const;
const CART: AutomationDefinition = {
  version: 1,
  name: 'Cart',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: 'cart_left' } },
  entry: { again: 'always', key: 'cart' },
  exit: [{ event: { kind: 'action', name: 'cart_ordered' }, as: 'goal' }],
  goalWindow: '1h',
  nodes: [
    { id: 'hour', delay: '1h' },
    {
      id: 'half',
      split: [
        { weight: 1, nodes: [mail('mail1', 'First')] },
        { weight: 1, nodes: [mail('mail2', 'Second')] },
      ],
    },
    {
      id: 'sent',
      waitFor: { message: { node: 'mail1' }, was: 'sent' },
      timeout: '1d',
      ['then' as const]: [],
      else: [],
    },
  ],
};

let tidings: Awaited<ReturnType<typeof startTidings>>;
let client: Client;
let db: Database;
beforeAll(async () => {
  tidings = await startTidings({ name: 'automation-kills', form: 'one-process', env: ENV });
  client = createClient(tidings.local);
  db = connectDatabase({
    databaseUrl: tidings.local.databaseUrl,
    poolMax: 2,
    applicationName: 'test',
  });
}, 240_000);
afterAll(async () => {
  await db?.close();
  await tidings?.stop();
}, 60_000);

const ids = Array.from({ length: PEOPLE }, (_, index) => `person-${index}`);
const random = randomFrom(20_261_129);

async function administer(method: string, path: string, body: unknown): Promise<void> {
  const { status } = await client.call(method, `${tidings.local.baseUrl}/api/v1/${path}`, {
    body,
    headers: {
      'X-Application-Id': tidings.local.applicationId,
      Authorization: `Bearer ${tidings.local.adminToken}`,
    },
  });
  expect([path, status]).toEqual([path, method === 'POST' && path === 'definitions' ? 201 : 200]);
}

async function kill(): Promise<void> {
  tidings.supervisor.kill(ONE_PROCESS, 'SIGKILL');
  await tidings.supervisor.ready(ONE_PROCESS);
}

/** Sends until it is accepted: a kill may lose the answer. */
async function submit(customUserId: string, cart: number): Promise<void> {
  const id = `cart-${customUserId}-${cart}`;
  const message = { type: 'action', id, time: Date.now(), customName: 'cart_left' };
  await eventually(
    async () => {
      const { status } = await client.submit({
        customUserId,
        messages: [{ ...message, attributes: { cart: `${customUserId}/${cart}` } }],
      });
      expect(status).toBe(200);
    },
    { timeoutMs: WITHIN_MS, intervalMs: 100 },
  );
}

const count = async (sql: string): Promise<number> =>
  (await db.sql.query<{ n: number }>(sql, [tidings.local.applicationId])).rows[0]?.n ?? 0;
const countRuns = (node: string): Promise<number> =>
  count(
    `select count(*)::int as n from automation_runs where application_id = $1 and node = '${node}'`,
  );

test(`${RUNS} runs, the process killed ${KILLS_WHILE_ENTERING + KILLS_WHILE_DUE} times: each sends its one message`, async () => {
  await registerUsers(client, ids);
  await eventually(
    async () => expect(await countRegistered(tidings.local, 'person-')).toBe(PEOPLE),
    { timeoutMs: WITHIN_MS, intervalMs: 200 },
  );
  for (const name of ['cart_left', 'cart_ordered'])
    await administer('POST', 'definitions', { kind: 'action', name });
  await administer('PUT', 'automations/cart', CART);
  await administer('POST', 'automations/cart/activate', {});

  // Events come while the process is killed.
  const carts = ids.flatMap((id) =>
    Array.from({ length: CARTS }, (_, cart) => [id, cart] as const),
  );
  const feeding = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = carts.pop(); next !== undefined; next = carts.pop()) await submit(...next);
    }),
  );
  for (let kills = 0; kills < KILLS_WHILE_ENTERING; kills += 1) {
    const left = carts.length;
    await eventually(
      () =>
        expect(carts.length).toBeLessThanOrEqual(
          Math.max(0, left - 50 - Math.floor(150 * random())),
        ),
      { timeoutMs: WITHIN_MS, intervalMs: 20 },
    );
    await kill();
  }
  await feeding;
  await eventually(async () => expect(await countRuns('hour')).toBe(RUNS), {
    timeoutMs: WITHIN_MS,
    intervalMs: 200,
  });

  // All timers fall due at one instant, and the process is killed while their runs go on.
  await db.sql.query(`update automation_runs set waits_until = now() where application_id = $1`, [
    tidings.local.applicationId,
  ]);
  await db.sql.query(`update automation_timers set due_at = now() where application_id = $1`, [
    tidings.local.applicationId,
  ]);
  for (let kills = 0; kills < KILLS_WHILE_DUE; kills += 1) {
    const before = await countRuns('hour');
    await eventually(
      async () =>
        expect(await countRuns('hour')).toBeLessThanOrEqual(
          Math.max(0, before - 1 - Math.floor(80 * random())),
        ),
      { timeoutMs: WITHIN_MS, intervalMs: 5 },
    );
    await kill();
  }
  // Those of the second message wait for what never comes.
  const second = await eventually(
    async () => {
      const waiting = await countRuns('sent');
      expect(await countRuns('hour')).toBe(0);
      return waiting;
    },
    { timeoutMs: WITHIN_MS, intervalMs: 200 },
  );
  await eventually(
    async () =>
      expect(
        await count(
          `select count(*)::int as n from deliveries where application_id = $1 and state in ('pending', 'claimed', 'sending', 'retry_wait')`,
        ),
      ).toBe(0),
    { timeoutMs: WITHIN_MS, intervalMs: 500 },
  );
  expect(second).toBeLessThanOrEqual(RUNS);
  await expectExact();
}, 900_000);

async function expectExact(): Promise<void> {
  const { applicationId } = tidings.local;
  // Each run has one line that says that it sent, with a delivery of its own.
  const { rows: sent } = await db.sql.query<{ run_id: string; delivery_id: string; node: string }>(
    `select run_id, delivery_id, node from automation_trace where application_id = $1 and outcome = 'sent'`,
    [applicationId],
  );
  expect(new Set(sent.map((line) => line.run_id)).size).toBe(RUNS);
  expect(new Set(sent.map((line) => line.delivery_id)).size).toBe(RUNS);
  const { rows: deliveries } = await db.sql.query<{
    id: string;
    campaign_id: string;
    state: string;
  }>(
    // Test sends of the installation have no address of a user.
    'select id, campaign_id, state from deliveries where application_id = $1 and test_address is null',
    [applicationId],
  );
  expect(deliveries.map(({ id }) => id).toSorted()).toEqual(
    sent.map((line) => line.delivery_id).toSorted(),
  );
  // A mail under way at a kill may have left, and is not sent again.
  const unknown = deliveries.filter(({ state }) => state === 'unknown').length;
  expect(unknown).toBeLessThanOrEqual(SEND_CONCURRENCY * KILLS_WHILE_DUE);
  expect(deliveries.filter(({ state }) => !['sent', 'unknown'].includes(state))).toEqual([]);
  const campaigns = [...new Set(deliveries.map((row) => row.campaign_id))];
  let mails = 0;
  for (const campaignId of campaigns) {
    const { counters, recount } = await countersAndRecount(tidings.local, campaignId);
    expect(counters).toEqual(recount);
    const { body } = await client.sandbox<{ unique: number; repeated: number }>(
      'GET',
      `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`,
    );
    expect(body.repeated).toBe(0);
    mails += body.unique;
  }
  expect(mails).toBeGreaterThanOrEqual(RUNS - unknown);
  expect(mails).toBeLessThanOrEqual(RUNS);
  // The numbers of the report are those of the runs and their traces.
  const report = await client.read<{
    entered: number;
    active: number;
    failed: number;
    nodes: readonly { id: string; entered: number; passed: number; waiting: number }[];
  }>('automations/cart/report');
  expect(report).toMatchObject({ entered: RUNS, failed: 0 });
  const of = (node: string) => report.nodes.find(({ id }) => id === node);
  const first = sent.filter(({ node }) => node === 'mail1').length;
  expect(of('hour')).toMatchObject({ entered: RUNS, passed: RUNS, waiting: 0 });
  expect(of('mail1')).toMatchObject({ entered: first, passed: first });
  expect(of('mail2')).toMatchObject({ entered: RUNS - first, passed: RUNS - first });
  expect(of('sent')?.entered).toBe(RUNS);
  const active = await count(
    `select count(*)::int as n from automation_runs where application_id = $1 and ended_at is null`,
  );
  expect(report.active).toBe(active);
  // Who waits for a message that was sent has gone on.
  expect(active).toBeLessThanOrEqual(RUNS - first + unknown);
}
