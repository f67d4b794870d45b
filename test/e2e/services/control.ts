import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually, registerUsers } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { SEND_CONCURRENCY, useApplication, type Services } from './services.ts';
import { createClient, listMails, sumOfCounts, type Client } from '../support/client.ts';
import { countersAndRecount } from '../support/oracles.ts';

const RECIPIENTS = 2_000;
/** Delay per mail, so that a campaign runs for some seconds. */
const DELAY_MS = 100;
const people = Array.from({ length: RECIPIENTS }, (_, index) => `person-${index}`);

/** Pause, resume, cancel and schedule, with `campaigns` killed. */
export function controlTests(services: () => Services): void {
  let tidings: Services;
  let client: Client;

  beforeAll(async () => {
    tidings = await useApplication(services(), 'Control');
    client = createClient(tidings.local);
    const { databaseUrl, applicationId } = tidings.local;
    const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'test' });
    await registerUsers(
      db,
      applicationId,
      Object.fromEntries(people.map((id) => [id, { email: `${id}@people.example` }])),
    );
    await db.close();
    await client.sandbox('POST', '/api/faults', {
      channel: 'EMAIL',
      kind: 'delay',
      rate: 1,
      delayMs: DELAY_MS,
    });
  }, 300_000);
  afterAll(() => client?.sandbox('DELETE', '/api/faults'));

  const control = (campaignId: string, action: string) =>
    client.call<CampaignRecord & Problem>(
      'POST',
      `${tidings.local.baseUrl}/api/v1/campaigns/${campaignId}/${action}`,
    );

  async function mailsSent(
    campaignId: string,
  ): Promise<{ readonly total: number; readonly unique: number; readonly repeated: number }> {
    return (
      await client.sandbox<{ total: number; unique: number; repeated: number }>(
        'GET',
        `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`,
      )
    ).body;
  }

  /** A campaign to all users of which more than `sent` mails were sent. */
  async function underWay(sent: number): Promise<string> {
    const { status, body } = await client.push({
      recipients: people,
      channel: 'EMAIL',
      message: { title: 'To all', body: 'Once.' },
    });
    expect(status).toBe(200);
    await eventually(
      async () =>
        expect((await client.campaign(body.campaignId)).counts.successful).toBeGreaterThan(sent),
      { timeoutMs: 60_000 },
    );
    return body.campaignId;
  }

  /** Waits until no send is in flight. */
  const untilNothingIsInFlight = (campaignId: string) =>
    eventually(
      async () =>
        expect(
          (
            await client.read<{ items: unknown[] }>(
              `campaigns/${campaignId}/deliveries?status=sending&limit=1`,
            )
          ).items,
        ).toEqual([]),
      { timeoutMs: 30_000 },
    );

  test('while paused only sends in flight complete; after the resume every user gets one mail', async () => {
    const campaignId = await underWay(100);

    const paused = await control(campaignId, 'pause');
    const atPause = await mailsSent(campaignId);

    expect(paused).toMatchObject({ status: 200, body: { status: 'paused' } });
    await untilNothingIsInFlight(campaignId);
    const afterPause = await mailsSent(campaignId);
    expect(afterPause.total - atPause.total).toBeLessThanOrEqual(SEND_CONCURRENCY);
    expect(afterPause.total).toBeLessThan(RECIPIENTS);
    // Longer than the interval of any sweep or of returned rows.
    for (let looks = 0; looks < 15; looks += 1) {
      await delay(200);
      expect((await mailsSent(campaignId)).total).toBe(afterPause.total);
    }
    expect(await client.campaign(campaignId)).toMatchObject({
      status: 'paused',
      counts: { successful: afterPause.total, pending: RECIPIENTS - afterPause.total },
    });
    expect(await control(campaignId, 'pause')).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });

    expect(await control(campaignId, 'resume')).toMatchObject({
      status: 200,
      body: { status: 'sending' },
    });

    const campaign = await eventually(
      async () => {
        const current = await client.campaign(campaignId);
        expect(sumOfCounts(current)).toBe(RECIPIENTS);
        expect(current.status).toBe('completed');
        return current;
      },
      { timeoutMs: 120_000, intervalMs: 250 },
    );
    expect(campaign.counts).toMatchObject({
      successful: RECIPIENTS,
      failed: 0,
      unknown: 0,
      canceled: 0,
    });
    expect(campaign.timing).toMatchObject({
      firstSentAt: expect.any(Number),
      lastSentAt: expect.any(Number),
      p50Ms: expect.any(Number),
      p95Ms: expect.any(Number),
    });
    expect(await mailsSent(campaignId)).toEqual({
      total: RECIPIENTS,
      unique: RECIPIENTS,
      repeated: 0,
    });
  }, 240_000);

  test('a cancel leaves sends in flight their outcome; all others are canceled, with exact counts', async () => {
    const campaignId = await underWay(100);

    const canceled = await control(campaignId, 'cancel');
    const canceledAt = performance.now();
    const atCancel = await mailsSent(campaignId);

    expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect(sumOfCounts(canceled.body)).toBe(RECIPIENTS);
    const campaign = await eventually(
      async () => {
        const current = await client.campaign(campaignId);
        expect(sumOfCounts(current)).toBe(RECIPIENTS);
        expect(current.counts.pending).toBe(0);
        return current;
      },
      { timeoutMs: 10_000 },
    );
    expect(performance.now() - canceledAt).toBeLessThan(10_000);
    const { counts } = campaign;
    const mails = await mailsSent(campaignId);
    expect(mails).toEqual({ total: counts.successful, unique: counts.successful, repeated: 0 });
    expect(mails.total - atCancel.total).toBeLessThanOrEqual(SEND_CONCURRENCY);
    expect(counts.successful + counts.canceled).toBe(RECIPIENTS);
    expect(counts.canceled).toBeGreaterThan(0);
    const { counters, recount } = await countersAndRecount(tidings.local, campaignId);
    expect(recount).toEqual({ sent: counts.successful, canceled: counts.canceled });
    expect(counters).toEqual(recount);
    // Row by row: a `canceled` recipient has no mail.
    const deliveries = await client.deliveries(campaignId);
    const perPerson = await listMails(client, campaignId, people);
    expect(
      deliveries.filter(
        ({ customUserId, status }) => perPerson.get(customUserId) !== (status === 'sent' ? 1 : 0),
      ),
    ).toEqual([]);
    expect(await control(campaignId, 'resume')).toMatchObject({ status: 409 });
    expect((await client.campaign(campaignId)).status).toBe('canceled');
  }, 240_000);

  test('a scheduled campaign is sent once and not before its time, though campaigns is killed until then', async () => {
    const sendAt = Date.now() + 10_000;
    const recipients = people.slice(0, 300);
    const { body } = await client.push({
      recipients,
      channel: 'EMAIL',
      message: { title: 'Later', body: 'Once.' },
      sendAt,
    });
    expect(body).toMatchObject({ status: 'scheduled', sendAt });

    tidings.supervisor.kill('campaigns', 'SIGKILL');
    await tidings.supervisor.ready('campaigns');

    const { timing, ...campaign } = await eventually(
      async () => {
        const current = await client.campaign(body.campaignId);
        expect(current.status).toBe('completed');
        return current;
      },
      { timeoutMs: 60_000 },
    );
    expect(campaign).toMatchObject({
      counts: { successful: recipients.length, failed: 0, unknown: 0 },
      schedule: { sendAt, sendAtLocal: null, localTimePassed: 0 },
    });
    expect(timing.firstSentAt).toBeGreaterThanOrEqual(sendAt);
    expect(await mailsSent(body.campaignId)).toEqual({
      total: recipients.length,
      unique: recipients.length,
      repeated: 0,
    });
  }, 120_000);
}
