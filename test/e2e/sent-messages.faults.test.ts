/** @nightly */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ONE_PROCESS } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, type Client } from './support/client.ts';
import { countRegistered } from './support/oracles.ts';

const RECIPIENTS = 1_000;
const KILLS = 10;
/** Recipients with an outcome between two kills. */
const SENT_BETWEEN = 50;
const SEND_CONCURRENCY = 20;
const MAIL_DELAY_MS = 600;
const WITHIN_MS = 120_000;
const ENV = {
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '12000',
  SMTP_SOCKET_TIMEOUT_MS: '10000',
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
  RATE_QUESTIONS_PER_SECOND: '1000',
  RATE_QUESTIONS_BURST: '1000',
};

const MESSAGE = {
  title: 'For {{ user.firstName }}',
  body: [
    '<h1>{{ user.firstName }}</h1><p>{{ user.city }}, {{ "now" | date: "%s.%L" }}</p>',
    '<table><tr><td>Price</td><td>{{ user.customAttributes.price | times: 3 }}</td></tr></table>',
    '<a href="https://shop.example/?of={{ user.city | url_encode }}">to {{ user.city }}</a>',
    '<a href="{{ unsubscribeUrl }}">no more</a>',
  ].join('\n'),
};

type Received = {
  readonly deliveryId: string;
  readonly title: string;
  readonly body: string;
  readonly data: { readonly text: string };
};
type Sent = {
  readonly message?: { readonly title?: string; readonly body?: unknown };
  readonly text?: string;
  readonly unknown?: string;
};

let tidings: Awaited<ReturnType<typeof startTidings>>;
let client: Client;
beforeAll(async () => {
  tidings = await startTidings({ name: 'sent-messages', form: 'one-process', env: ENV });
  client = createClient(tidings.local);
}, 240_000);
afterAll(() => tidings?.stop(), 60_000);

let changes = 0;
/** Other names, cities and prices for these users. */
async function change(people: readonly string[]): Promise<void> {
  const queue = [...people];
  const work = async (): Promise<void> => {
    for (let customUserId = queue.pop(); customUserId !== undefined; customUserId = queue.pop()) {
      const no = changes++;
      // While the process is away nothing is accepted.
      await eventually(
        async () => {
          const { status } = await client.submit({
            customUserId,
            messages: [
              {
                type: 'user',
                id: `change-${no}`,
                time: Date.now(),
                email: `${customUserId}@people.example`,
                firstName: `<Ada & ${no}>`,
                city: `Ülm ${no}`,
                customAttributes: { price: no / 100 },
              },
            ],
          });
          expect(status).toBe(200);
        },
        { timeoutMs: WITHIN_MS, intervalMs: 100 },
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

const sentTo = (campaignId: string, deliveryId: string) =>
  client.read<Sent>(`campaigns/${campaignId}/deliveries/${deliveryId}/message`);

const untilCompleted = (campaignId: string) =>
  eventually(async () => expect((await client.campaign(campaignId)).status).toBe('completed'), {
    timeoutMs: WITHIN_MS,
    intervalMs: 250,
  });

test(`of ${RECIPIENTS} personal mails under ${KILLS} kills, with other profiles meanwhile, the words come back`, async () => {
  const people = Array.from({ length: RECIPIENTS }, (_, index) => `person-${index}`);
  await change(people);
  await eventually(
    async () => expect(await countRegistered(tidings.local, 'person-')).toBe(RECIPIENTS),
    { timeoutMs: WITHIN_MS, intervalMs: 100 },
  );
  await client.sandbox('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs: MAIL_DELAY_MS,
  });
  const { status, body } = await client.push({
    recipients: people,
    channel: 'EMAIL',
    personalize: true,
    message: MESSAGE,
  });
  expect(status).toBe(200);
  const { campaignId } = body;

  const doneOf = async (): Promise<number> => {
    const { counts } = await client.campaign(campaignId);
    return counts.total - counts.pending;
  };
  let done = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const changing = change(people.filter((_, index) => index % KILLS === kill));
    done = await eventually(
      async () => {
        const now = await doneOf();
        expect(now).toBeGreaterThanOrEqual(done + SENT_BETWEEN);
        return now;
      },
      { timeoutMs: WITHIN_MS, intervalMs: 50 },
    );
    expect(done).toBeLessThan(RECIPIENTS);
    tidings.supervisor.kill(ONE_PROCESS, 'SIGKILL');
    await tidings.supervisor.ready(ONE_PROCESS);
    await changing;
  }
  await client.sandbox('DELETE', '/api/faults');
  await untilCompleted(campaignId);
  await change(people);

  const deliveries = await client.deliveries(campaignId);
  expect(deliveries).toHaveLength(RECIPIENTS);
  const wrong: unknown[] = [];
  let received = 0;
  let unknown = 0;
  for (const { customUserId, deliveryId, status: outcome } of deliveries) {
    const to = encodeURIComponent(`${customUserId}@people.example`);
    const { body: found } = await client.sandbox<{ messages: Received[] }>(
      'GET',
      `/api/messages?campaignId=${campaignId}&to=${to}`,
    );
    for (const mail of found.messages) {
      received += 1;
      if (outcome === 'unknown') unknown += 1;
      const { message, text } = await sentTo(campaignId, deliveryId);
      const original = await untracked(mail);
      const back = { title: message?.title, body: message?.body, text };
      if (JSON.stringify(back) !== JSON.stringify(original)) wrong.push({ back, original });
    }
  }
  process.stderr.write(
    `Sent messages: ${received} mails received, ${unknown} of them with an unknown outcome, ${wrong.length} with other words.\n`,
  );
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(received).toBeGreaterThan(RECIPIENTS - KILLS * SEND_CONCURRENCY);
}, 600_000);

/** A mail as it was before its links were tracked: the hosts of tracked links lead to what they were. */
async function untracked({ title, body, data }: Received) {
  let html = body.replace(/<img src="[^"]+\/t\/o\/[^"]*"[^>]*>/, '');
  for (const [, link = ''] of body.matchAll(/href="([^"]+\/t\/c\/[^"]+)"/g)) {
    const { headers } = await fetch(link.replaceAll('&amp;', '&'), { redirect: 'manual' });
    const target = headers.get('location') ?? '';
    html = html.replace(link, target.replaceAll('&', '&amp;'));
  }
  const [, unsubscribe = ''] = /href="([^"]+\/u\/[^"]+)"/.exec(html) ?? [];
  const placed = (text: string) => text.replaceAll(unsubscribe, '{{unsubscribeUrl}}');
  // A part of a mail ends with a line break, which belongs to the mail.
  const ofPart = (text: string) => placed(text).replace(/\n$/, '');
  return { title, body: ofPart(html), text: ofPart(data.text) };
}

test('both devices of a user get the words of the first attempt, though one needs a retry', async () => {
  const customUserId = 'two-devices';
  await change([customUserId]);
  await eventually(() => client.read(`users/${customUserId}`), { timeoutMs: WITHIN_MS });
  for (let device = 0; device < 2; device += 1) {
    const { status } = await client.sandbox('POST', '/api/devices', {
      customUserId,
      kind: 'web_push',
    });
    expect(status).toBe(201);
  }
  await client.sandbox('POST', '/api/faults', {
    channel: 'WEB_PUSH',
    kind: 'status',
    rate: 1,
    status: 503,
  });
  const { body } = await client.push({
    recipients: [customUserId],
    channel: 'WEB_PUSH',
    personalize: true,
    message: { title: '{{ user.firstName }}', body: '{{ user.city }} {{ "now" | date: "%s.%L" }}' },
  });
  const { campaignId } = body;
  const delivery = await eventually(
    async () => {
      const [first] = await client.deliveries(campaignId);
      expect(first?.addresses?.filter(({ attempts }) => attempts > 0)).toHaveLength(2);
      return first;
    },
    { timeoutMs: WITHIN_MS, intervalMs: 50 },
  );
  await change([customUserId]);
  await client.sandbox('DELETE', '/api/faults');
  await untilCompleted(campaignId);

  const { body: found } = await client.sandbox<{ messages: Received[] }>(
    'GET',
    `/api/messages?campaignId=${campaignId}`,
  );
  const { message } = await sentTo(campaignId, delivery?.deliveryId ?? '');
  expect(found.messages.map(({ title, body: text }) => ({ title, body: text }))).toEqual([
    message,
    message,
  ]);
}, 240_000);
