import { afterEach, expect, test } from '@jest/globals';
import type { Form, LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, listMails, registerUsers, sumOfCounts, type Client } from './client.ts';
import { startEventStream } from './event-stream.ts';
import {
  compareWithLedger,
  countersAndRecount,
  countRegistered,
  storedEventIds,
} from './oracles.ts';

const RECIPIENTS = 2_000;
const SEND_CONCURRENCY = 20;
const DELAY_MS = 350;
/** Recipients that a kill must leave: they take at least 7 s, so mails are in flight when it comes. */
const PENDING_MIN = 400;
const ENV = {
  KAFKA_SESSION_TIMEOUT_MS: '6000',
  KAFKA_HEARTBEAT_INTERVAL_MS: '1000',
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  // Only a kill makes an outcome unknown: on a busy machine a reply is later than its delay.
  SEND_LEASE_MS: '12000',
  SMTP_SOCKET_TIMEOUT_MS: '10000',
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
};
export type Kills = {
  readonly form: Form;
  readonly what: string;
  /** Names of processes, each killed in turn. */
  readonly killed: readonly string[];
  /** How often sends in flight are cut off. */
  readonly workerKills: number;
  readonly acceptedMin: number;
};

/** Kills processes of an installation under load, and compares what is left with what was accepted. */
export function testKills({ form, what, killed, workerKills, acceptedMin }: Kills): void {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  }, 60_000);

  test(`kill -9 of ${what} loses no event, stores none twice, and sends no mail twice`, async () => {
    const tidings = await startTidings({ name: 'kills', form, env: ENV });
    stops.push(() => tidings.stop());
    const client = createClient(tidings.local);
    const people = Array.from({ length: RECIPIENTS }, (_, index) => `person-${index}`);
    await registerUsers(client, people);
    // Partitions are read in any order, and kills keep those that are left from being read for longer
    // than a campaign looks for unknown recipients.
    await eventually(
      async () => expect(await countRegistered(tidings.local, 'person-')).toBe(RECIPIENTS),
      { timeoutMs: 60_000, intervalMs: 100 },
    );
    await client.sandbox('POST', '/api/faults', {
      channel: 'EMAIL',
      kind: 'delay',
      rate: 1,
      delayMs: DELAY_MS,
    });
    const stream = startEventStream(client, {
      customUserIds: people.slice(0, 50),
      intervalMs: 40,
      eventsPerBatch: 5,
    });
    const accepted = () => stream.ledger.filter((attempt) => attempt.status === 200).length;
    const campaignIds = [await pushTo(client, people)];

    for (const service of killed) {
      const { counts } = await client.campaign(campaignIds.at(-1) ?? '');
      if (RECIPIENTS - counts.successful - counts.unknown < PENDING_MIN)
        campaignIds.push(await sendTo(client, people));
      const [before] = tidings.supervisor.list().filter(({ name }) => name === service);
      tidings.supervisor.kill(service, 'SIGKILL');
      await tidings.supervisor.ready(service);
      expect(tidings.supervisor.list().find(({ name }) => name === service)?.pid).not.toBe(
        before?.pid,
      );
    }
    await eventually(() => expect(accepted()).toBeGreaterThan(acceptedMin), PATIENT);
    await stream.stop();

    let unknown = 0;
    for (const campaignId of campaignIds)
      unknown += await expectSentOnce(tidings.local, { client, campaignId });
    expect(unknown).toBeLessThanOrEqual(SEND_CONCURRENCY * workerKills);

    await eventually(
      async () => {
        expect(
          compareWithLedger(stream.ledger, await storedEventIds(tidings.local, 'stream-')),
        ).toEqual({ lost: [], twice: [], invented: [] });
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    );
  }, 400_000);
}

const PATIENT = { timeoutMs: 60_000, intervalMs: 100 };

async function pushTo(client: Client, recipients: readonly string[]): Promise<string> {
  const { status, body } = await client.push({
    recipients,
    channel: 'EMAIL',
    message: { title: 'To all', body: 'Once.' },
  });
  expect(status).toBe(200);
  return body.campaignId;
}

/** On a slow machine the campaign before ends before the last kill. Resolves when mails are sent. */
async function sendTo(client: Client, recipients: readonly string[]): Promise<string> {
  const campaignId = await pushTo(client, recipients);
  await eventually(async () => {
    const { counts } = await client.campaign(campaignId);
    expect(counts.successful).toBeGreaterThan(0);
  }, PATIENT);
  return campaignId;
}

/** Resolves with the number of deliveries whose outcome is unknown, when the campaign has completed. */
async function expectSentOnce(
  local: LocalFile,
  { client, campaignId }: { readonly client: Client; readonly campaignId: string },
): Promise<number> {
  const campaign = await eventually(
    async () => {
      const current = await client.campaign(campaignId);
      expect(current.status).toBe('completed');
      return current;
    },
    { timeoutMs: 120_000, intervalMs: 250 },
  );
  const deliveries = await client.deliveries(campaignId);
  const counts = await client.sandbox<{ total: number; unique: number; repeated: number }>(
    'GET',
    `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`,
  );
  const { counters, recount } = await countersAndRecount(local, campaignId);
  expect(deliveries).toHaveLength(RECIPIENTS);
  // Row by row, not by totals: a `sent` recipient has exactly one mail, an `unknown` one at most
  // one.
  const mails = await listMails(
    client,
    campaignId,
    deliveries.map(({ customUserId }) => customUserId),
  );
  expect(
    deliveries.filter(
      ({ customUserId, status }) => status === 'sent' && mails.get(customUserId) !== 1,
    ),
  ).toEqual([]);
  expect(deliveries.filter(({ customUserId }) => (mails.get(customUserId) ?? 0) > 1)).toEqual([]);
  expect(new Set(deliveries.map(({ status: is, reason }) => reason ?? is))).toEqual(
    new Set(campaign.counts.unknown > 0 ? ['sent', 'outcome_unknown'] : ['sent']),
  );
  expect(counts.body.repeated).toBe(0);
  expect(counts.body.unique).toBeGreaterThanOrEqual(campaign.counts.successful);
  expect(counts.body.unique).toBeLessThanOrEqual(
    campaign.counts.successful + campaign.counts.unknown,
  );
  expect(sumOfCounts(campaign)).toBe(RECIPIENTS);
  expect(counters).toEqual(recount);
  return campaign.counts.unknown;
}
