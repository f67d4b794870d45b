import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { homeLayout, ONE_PROCESS } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, registerUsers, sumOfCounts, type Client } from './support/client.ts';
import { addStoppedStandby } from './support/standby.ts';

/** Enough that the campaign still runs when the backup is made, on a busy machine too. */
const RECIPIENTS = 6_000;
const SEND_CONCURRENCY = 20;
/** Delay per mail, so that a campaign runs for some seconds. */
const DELAY_MS = 150;
const LATE = { timeoutMs: 60_000 };
const people = Array.from({ length: RECIPIENTS }, (_, index) => `person-${index}`);

let workers = 'true';
let tidings: Awaited<ReturnType<typeof startTidings>>;
let client: Client;
beforeAll(async () => {
  tidings = await startTidings({
    name: 'restore',
    form: 'one-process',
    env: {
      WORKER_EMAIL_SEND_CONCURRENCY: String(SEND_CONCURRENCY),
      REDISPATCH_AFTER_MS: '1000',
      CLAIM_LEASE_MS: '4000',
      SEND_LEASE_MS: '6000',
      BUS_SESSION_TIMEOUT_MS: '2000',
      BUS_HEARTBEAT_INTERVAL_MS: '500',
    },
    serviceEnv: (name) => (name === ONE_PROCESS ? { WORKERS: workers } : {}),
  });
  client = createClient(tidings.local);
  await registerUsers(client, people);
}, 180_000);
afterAll(() => tidings?.stop(), 60_000);

const isOneProcess = ({ name }: { readonly name: string }): boolean => name === ONE_PROCESS;

const setDelay = (delayMs: number) =>
  client.sandbox('POST', '/api/faults', { channel: 'EMAIL', kind: 'delay', rate: 1, delayMs });

async function mailsOf(campaignId: string) {
  const path = `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`;
  return (await client.sandbox<{ total: number; repeated: number }>('GET', path)).body;
}

async function sendTo(recipients: readonly string[]): Promise<string> {
  const message = { title: 'News', body: 'Once.' };
  const { status, body } = await client.push({ recipients, channel: 'EMAIL', message });
  expect(status).toBe(200);
  return body.campaignId;
}

async function restart(): Promise<void> {
  const { supervisor } = tidings;
  const pid = (): number | undefined => supervisor.list().find(isOneProcess)?.pid;
  const before = pid();
  supervisor.kill(ONE_PROCESS, 'SIGTERM');
  await eventually(() => expect(pid()).not.toBe(before), LATE);
  await supervisor.ready(ONE_PROCESS);
}

/** Postgres with the data of a backup, at its address. */
async function restore(backup: string): Promise<void> {
  const { dataDir } = homeLayout(tidings.home);
  const { postgres } = tidings.stack.parts;
  postgres?.kill('SIGKILL');
  await postgres?.ended();
  renameSync(dataDir('postgres'), dataDir('lost'));
  renameSync(dataDir(backup), dataDir('postgres'));
  rmSync(join(dataDir('postgres'), 'standby.signal'));
  await postgres?.start();
}

test('after a restore nothing is sent before the workers start, and nothing of a canceled campaign', async () => {
  await setDelay(DELAY_MS);
  const campaignId = await sendTo(people);
  await eventually(async () => expect((await mailsOf(campaignId)).total).toBeGreaterThan(50), LATE);
  const backup = await addStoppedStandby(tidings.stack);
  const atBackup = await mailsOf(campaignId);
  await eventually(
    async () => expect((await mailsOf(campaignId)).total).toBeGreaterThan(atBackup.total + 200),
    LATE,
  );
  workers = 'false';
  await restart();
  const sent = await mailsOf(campaignId);
  expect(sent).toMatchObject({ repeated: 0 });
  expect(sent.total).toBeLessThan(RECIPIENTS);

  await restore(backup.name);
  const restored = await eventually(() => client.campaign(campaignId), LATE);
  expect(restored.status).toBe('sending');
  expect(restored.counts.successful).toBeLessThan(sent.total);
  const later = await sendTo(['person-0']);
  // Longer than the interval of any sweep.
  await delay(3_000);
  expect(await mailsOf(campaignId)).toEqual(sent);

  const { baseUrl } = tidings.local;
  const url = `${baseUrl}/api/v1/campaigns/${campaignId}/cancel`;
  expect((await client.call<CampaignRecord>('POST', url)).status).toBe(200);
  await setDelay(0);
  workers = 'true';
  await restart();

  await eventually(async () => expect(await mailsOf(later)).toMatchObject({ total: 1 }), LATE);
  const canceled = await eventually(async () => {
    const campaign = await client.campaign(campaignId);
    expect(campaign.counts).toMatchObject({ pending: 0, waiting: 0 });
    return campaign;
  }, LATE);
  expect(sumOfCounts(canceled)).toBe(RECIPIENTS);
  expect(canceled.status).toBe('canceled');
  expect(await mailsOf(campaignId)).toEqual(sent);
}, 240_000);
