/** @nightly */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ONE_PROCESS } from '@tidings/local';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { drawOf } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, type Client } from './support/client.ts';
import { countersAndRecount, countRegistered } from './support/oracles.ts';

const PEOPLE = 500;
const PERCENT = 40;
const SEND_CONCURRENCY = 10;
const MAIL_DELAY_MS = 300;
const WITHIN_MS = 180_000;
const ENV = {
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '8000',
  SMTP_SOCKET_TIMEOUT_MS: '6000',
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
};
/** Mails that may be under way at each kill, of both campaigns together. */
const KILLS = 10;

let tidings: Awaited<ReturnType<typeof startTidings>>;
let client: Client;
let db: Database;
beforeAll(async () => {
  tidings = await startTidings({ name: 'winner-kills', form: 'one-process', env: ENV });
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

async function prepare(): Promise<void> {
  for (const id of ids) {
    const user = { type: 'user', id, time: Date.now(), email: `${id}@people.example` };
    const messages = [{ ...user, firstName: 'Ada' }];
    expect((await client.submit({ customUserId: id, messages })).status).toBe(200);
  }
  await eventually(
    async () => expect(await countRegistered(tidings.local, 'person-')).toBe(PEOPLE),
    { timeoutMs: WITHIN_MS, intervalMs: 200 },
  );
  for (const slug of ['a', 'b']) {
    const { status } = await client.call(
      'PUT',
      `${tidings.local.baseUrl}/api/v1/templates/${slug}`,
      {
        body: { name: slug, channel: 'EMAIL', message: { title: `Of ${slug}`, body: 'Once.' } },
        headers: {
          'X-Application-Id': tidings.local.applicationId,
          Authorization: `Bearer ${tidings.local.adminToken}`,
        },
      },
    );
    expect(status).toBe(200);
  }
}

async function push(to: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, body } = await client.push({
    ...to,
    channel: 'EMAIL',
    split: ['a', 'b'].map((template) => ({ template, share: 1 })),
    winner: { percent: PERCENT, by: 'clicked', after: '15m' },
  });
  expect(status).toBe(200);
  return body.campaignId;
}

let kills = 0;
async function kill(): Promise<void> {
  tidings.supervisor.kill(ONE_PROCESS, 'SIGKILL');
  await tidings.supervisor.ready(ONE_PROCESS);
  kills += 1;
}

const isFirst = (campaignId: string, id: string): boolean => drawOf(campaignId, id) * 100 < PERCENT;
const templateOf = (campaignId: string, id: string): string => {
  if (!isFirst(campaignId, id)) return 'b';
  return drawOf(campaignId, id) * 200 < PERCENT ? 'a' : 'b';
};

/** Waits until both have this share of the outcomes that there can be now. */
async function untilShare(campaigns: readonly string[], share: number, isDecided: boolean) {
  await eventually(
    async () => {
      for (const campaignId of campaigns) {
        const first = ids.filter((id) => isFirst(campaignId, id)).length;
        const { counts } = await client.campaign(campaignId);
        const done = counts.total === 0 ? 0 : counts.total - counts.pending;
        const [from, to] = isDecided ? [first, PEOPLE] : [0, first];
        expect(done).toBeGreaterThanOrEqual(from + share * (to - from));
      }
    },
    { timeoutMs: WITHIN_MS, intervalMs: 100 },
  );
}

test(`two campaigns that send to a part first, killed ${KILLS} times: one message for each person`, async () => {
  await prepare();
  const delay = { channel: 'EMAIL', kind: 'delay', rate: 1, delayMs: MAIL_DELAY_MS };
  await client.sandbox('POST', '/api/faults', delay);
  const campaigns = [
    await push({ recipients: ids }),
    await push({ segment: { condition: { field: 'firstName', is: 'Ada' } } }),
  ];
  await kill();
  for (const share of [0.1, 0.4, 0.8]) {
    await untilShare(campaigns, share, false);
    await kill();
  }
  await untilShare(campaigns, 1, false);

  // Half an hour later: those who got `b` have clicked.
  const deliveries = (
    await Promise.all(campaigns.map((campaignId) => client.deliveries(campaignId)))
  ).map((rows, index) => ({ campaignId: campaigns[index] ?? '', rows }));
  for (const { campaignId, rows } of deliveries) {
    const first = ids.filter((id) => isFirst(campaignId, id));
    expect(rows.map(({ customUserId }) => customUserId).toSorted()).toEqual(first.toSorted());
    await applyDeliveryUpdates(
      db,
      rows
        .filter(({ customUserId }) => templateOf(campaignId, customUserId) === 'b')
        .map(({ deliveryId }) => ({ deliveryId, outcome: 'clicked' as const })),
    );
  }
  await db.sql.query(
    `update campaigns set started_at = started_at - interval '30 minutes' where id = any($1)`,
    [campaigns],
  );
  // The decision may fall before, between or after these.
  for (let no = 0; no < 3; no += 1) await kill();
  await eventually(
    async () => {
      for (const campaignId of campaigns)
        expect((await client.campaign(campaignId)).winner?.decision?.choice).toBe(1);
    },
    { timeoutMs: WITHIN_MS, intervalMs: 200 },
  );
  for (const share of [0, 0.3, 0.7]) {
    await untilShare(campaigns, share, true);
    await kill();
  }
  await client.sandbox('DELETE', '/api/faults');

  expect(kills).toBe(KILLS);
  for (const campaignId of campaigns) await expectOneEach(campaignId);
}, 900_000);

async function expectOneEach(campaignId: string): Promise<void> {
  const campaign = await eventually(
    async () => {
      const current = await client.campaign(campaignId);
      expect(current.status).toBe('completed');
      return current;
    },
    { timeoutMs: WITHIN_MS, intervalMs: 500 },
  );
  const { counts } = campaign;
  expect(counts).toMatchObject({ total: PEOPLE, pending: 0, failed: 0, expired: 0, canceled: 0 });
  expect(counts.successful + counts.unknown).toBe(PEOPLE);
  const rows = await client.deliveries(campaignId);
  expect(rows.map(({ customUserId }) => customUserId).toSorted()).toEqual(ids.toSorted());
  // A mail under way at a kill may have left, and is not sent again.
  expect(counts.unknown).toBeLessThanOrEqual(SEND_CONCURRENCY * KILLS);
  const { body: mails } = await client.sandbox<{ unique: number; repeated: number }>(
    'GET',
    `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`,
  );
  expect(mails.repeated).toBe(0);
  expect(mails.unique).toBeGreaterThanOrEqual(counts.successful);
  const { rows: decisions } = await db.sql.query(
    `select from campaign_events where campaign_id = $1 and type = 'campaign.decided'`,
    [campaignId],
  );
  expect(decisions).toHaveLength(1);
  const { counters, recount } = await countersAndRecount(tidings.local, campaignId);
  expect(counters).toEqual(recount);
  for (const { customUserId, status } of rows) {
    if (status === 'unknown') continue;
    const to = encodeURIComponent(`${customUserId}@people.example`);
    const { body: found } = await client.sandbox<{ messages: readonly { title: string }[] }>(
      'GET',
      `/api/messages?campaignId=${campaignId}&to=${to}`,
    );
    expect([customUserId, found.messages.map(({ title }) => title)]).toEqual([
      customUserId,
      [`Of ${templateOf(campaignId, customUserId)}`],
    ]);
  }
}
