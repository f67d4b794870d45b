/** @needs kafka redis */

import { afterEach, expect, test } from '@jest/globals';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { rowsOfRun } from '../nightly/rows-of-run.ts';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { writeUsers } from '@tidings/tools/bench/rows/write-users';
import { watchMemory } from '@tidings/tools/faults/oracles/memory';
import { createClient, sumOfCounts, type Client } from './support/client.ts';
import { countersAndRecount } from './support/oracles.ts';

/** `SEGMENT_RECIPIENTS=1000000 npm test -- faults segment-kills` is the same with a million. */
const RECIPIENTS = process.env['SEGMENT_RECIPIENTS'];
/** From the push to the end, with all restarts. */
const WITHIN_MS = RECIPIENTS === undefined ? 180_000 : 2_000_000;
const TEST_TIMEOUT_MS = 120_000 + WITHIN_MS * 2;
const SEND_CONCURRENCY = 50;
/** Of each process, for any number of recipients. */
const MEMORY_MAX_MIB = 512;
/** Of a mail until the last kill: 5,000 take 24 s then. */
const MAIL_DELAY_MS = 240;
const ENV = {
  KAFKA_SESSION_TIMEOUT_MS: '6000',
  KAFKA_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '6000',
  SMTP_SOCKET_TIMEOUT_MS: '4000',
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
  // The sandbox keeps all mails, so that they can be counted.
  MESSAGES_MAX: '2000000',
};
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
}, 120_000);

type Process = 'campaigns' | 'worker';

/** What is killed, and the share of recipients with an outcome from which it is. */
const KILLS: readonly (readonly [Process, number])[] = [
  ['campaigns', 0],
  ['campaigns', 0.01],
  ['worker', 0.1],
  ['campaigns', 0.3],
  ['worker', 0.5],
  ['worker', 0.7],
];
type Counts = Awaited<ReturnType<Client['campaign']>>['counts'];
const WORKER_KILLS = KILLS.filter(([process]) => process === 'worker').length;

const CAMPAIGNS = rowsOfRun({
  always: [{ channel: 'EMAIL', worker: 'worker-email', few: 5_000, delay: delayMails }],
  nightly: [{ channel: 'IN_APP', worker: 'worker-in-app', few: 10_000, delay: delayOutcomes }],
});

test.each(CAMPAIGNS)(
  `$channel to a segment, killed six times: each user has one outcome`,
  async ({ channel, worker, few, delay }) => {
    const recipients = Number(RECIPIENTS ?? few);
    const tidings = await startTidings({
      name: 'segment-kills',
      form: 'services-on-kafka',
      env: ENV,
    });
    stops.push(() => tidings.stop());
    const { local, supervisor } = tidings;
    const db = connectDatabase({
      databaseUrl: local.databaseUrl,
      poolMax: 2,
      applicationName: 'test',
      statementTimeoutMs: WITHIN_MS,
    });
    stops.push(() => db.close());
    await writeUsers(db, { applicationId: local.applicationId, count: recipients });
    const client = createClient(local);
    // A million take long enough by themselves.
    if (RECIPIENTS === undefined) await delay(client, db);
    const { status, body } = await client.push({
      segment: { condition: { field: 'firstName', is: 'Ada' } },
      channel,
      message: { title: 'To a segment', body: 'Once.' },
    });
    expect(status).toBe(200);
    const { campaignId } = body;
    const memory = watchMemory(supervisor);
    stops.push(async () => memory.stop());

    for (const [process, share] of KILLS) {
      await untilShare(client, { campaignId, count: recipients * share });
      const service = process === 'worker' ? worker : process;
      supervisor.kill(service, 'SIGKILL');
      await supervisor.ready(service);
    }
    await client.sandbox('DELETE', '/api/faults');
    const campaign = await eventually(
      async () => {
        const current = await client.campaign(campaignId);
        expect(current.status).toBe('completed');
        return current;
      },
      { timeoutMs: WITHIN_MS, intervalMs: 500 },
    );

    const peaks = [...memory.peaks()].map(([name, { most }]) => [name, Math.ceil(most / 2 ** 20)]);
    if (RECIPIENTS !== undefined)
      process.stdout.write(
        `Memory of ${channel} to ${recipients}, in MiB: ${JSON.stringify(peaks)}\n`,
      );
    expect(peaks.length).toBeGreaterThan(0);
    // The sandbox keeps all mails.
    expect(
      peaks.filter(([name, mib]) => name !== 'sandbox' && Number(mib) > MEMORY_MAX_MIB),
    ).toEqual([]);
    expect(campaign.recipients.unique).toBe(recipients);
    expect(sumOfCounts(campaign)).toBe(recipients);
    expect(campaign.counts.pending).toBe(0);
    expect(await compare(db, { applicationId: local.applicationId, campaignId })).toEqual({
      recipients,
      missing: 0,
      twice: 0,
    });
    const { counters, recount } = await countersAndRecount(local, campaignId);
    expect(counters).toEqual(recount);
    if (channel === 'EMAIL')
      await expectNoMailTwice(client, { campaignId, counts: campaign.counts });
  },
  TEST_TIMEOUT_MS,
);

async function delayMails(client: Client): Promise<void> {
  await client.sandbox('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs: MAIL_DELAY_MS,
  });
}

/** Each change of a delivery takes five milliseconds more: an inbox has no provider that could be slow. */
async function delayOutcomes(_client: Client, db: Database): Promise<void> {
  await db.sql.query(`
    create function wait_a_moment() returns trigger language plpgsql as
      'begin perform pg_sleep(0.005); return new; end';
    create trigger wait_a_moment before update on deliveries
      for each row execute function wait_a_moment();`);
}

/** A mail under way at a kill may have left, and its outcome is unknown then. */
async function expectNoMailTwice(
  client: Client,
  { campaignId, counts }: { readonly campaignId: string; readonly counts: Counts },
): Promise<void> {
  const { body: mails } = await client.sandbox<{ unique: number; repeated: number }>(
    'GET',
    `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`,
  );
  expect(mails.repeated).toBe(0);
  expect(counts.unknown).toBeLessThanOrEqual(SEND_CONCURRENCY * WORKER_KILLS);
  expect(mails.unique).toBeGreaterThanOrEqual(counts.successful);
  expect(mails.unique).toBeLessThanOrEqual(counts.successful + counts.unknown);
}

/** Waits until this number of recipients has an outcome, while the campaign goes on. */
async function untilShare(
  client: Client,
  { campaignId, count }: { readonly campaignId: string; readonly count: number },
): Promise<void> {
  const status = await eventually(
    async () => {
      const { status: current, counts } = await client.campaign(campaignId);
      expect(counts.total - counts.pending).toBeGreaterThanOrEqual(count);
      return current;
    },
    { timeoutMs: WITHIN_MS, intervalMs: 50 },
  );
  expect(status).not.toBe('completed');
}

/** The recipients of a campaign beside the users of the segment. */
async function compare(
  db: Database,
  { applicationId, campaignId }: { readonly applicationId: string; readonly campaignId: string },
) {
  const { rows } = await db.sql.query<{ recipients: number; missing: number; twice: number }>(
    `with recipient as materialized (
       select custom_user_id, count(*) as n from deliveries where campaign_id = $2 group by 1)
     select (select count(*)::int from recipient) as recipients,
       (select count(*)::int from recipient where n > 1) as twice,
       (select count(*)::int from users u
        where u.application_id = $1 and u.registered_at is not null and u.fields->>'firstName' = 'Ada'
          and not exists (select from recipient r where r.custom_user_id = u.custom_user_id)) as missing`,
    [applicationId, campaignId],
  );
  return rows[0];
}
