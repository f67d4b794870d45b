import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

type SandboxMail = {
  readonly to: string;
  readonly body: string;
  readonly data: { readonly headers: Readonly<Record<string, string>>; readonly text: string };
};

const MOVED = 'mary@old.example.org';
const PEOPLE = [
  'ada@example.org',
  MOVED,
  'grace.bounce-later@example.org',
  'alan.complain@example.org',
  'edith.bounce-soft@example.org',
];
const BODY =
  '<p>Look at <a href="https://shop.example/sale?a=1&amp;b=2">the sale</a>.</p><p><a href="{{unsubscribeUrl}}">No more</a></p>';
const WAIT = { timeoutMs: 30_000 };
const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

let tidings: Awaited<ReturnType<typeof shareTidings>>;
let client: Client;

beforeAll(async () => {
  tidings = await shareTidings('Mail links');
  client = createClient(tidings.local);
  for (const email of PEOPLE)
    await client.submit({
      customUserId: email,
      messages: [{ type: 'user', id: `register-${email}`, time: Date.now(), email }],
    });
  await eventually(() => Promise.all(PEOPLE.map((email) => client.read(`users/${email}`))), WAIT);
}, 240_000);

async function mailTo(email: string, purpose: 'marketing' | 'transactional' = 'marketing') {
  const { status, body } = await client.push({
    recipients: [email],
    channel: 'EMAIL',
    purpose,
    message: { title: 'Sale', body: BODY },
  });
  expect(status).toBe(200);
  const mail = await eventually(async () => {
    const { body: answer } = await client.sandbox<{ messages: SandboxMail[] }>(
      'GET',
      `/api/messages?campaignId=${body.campaignId}`,
    );
    const [first] = answer.messages;
    if (first === undefined) throw new Error('no mail yet');
    return first;
  }, WAIT);
  return { campaignId: body.campaignId, mail };
}

const countsOf = (campaignId: string, wanted: Readonly<Record<string, number>>) =>
  eventually(
    async () => expect((await client.campaign(campaignId)).counts).toMatchObject(wanted),
    WAIT,
  );

test('an opened mail counts opened and clicked; its link leads to the target page', async () => {
  const { campaignId, mail } = await mailTo('ada@example.org', 'transactional');
  const [, pixel = ''] = /<img src="([^"]+)"/.exec(mail.body) ?? [];
  const [, link = ''] = /href="([^"]+\/t\/c\/[^"]+)"/.exec(mail.body) ?? [];
  await countsOf(campaignId, { sent: 1 });
  // Who comes earlier is a machine.
  await delay(1_100);

  expect((await fetch(pixel, { headers: BROWSER })).status).toBe(200);
  await countsOf(campaignId, { opened: 1, clicked: 0, successful: 1 });
  const followed = await fetch(link, { redirect: 'manual', headers: BROWSER });
  expect([followed.status, followed.headers.get('location')]).toEqual([
    302,
    'https://shop.example/sale?a=1&b=2',
  ]);
  await countsOf(campaignId, { opened: 1, clicked: 1, successful: 1 });
  expect(mail.data.text).toContain('[https://shop.example/sale?a=1&b=2]');
}, 120_000);

test('one click unsubscribes from marketing alone, until one subscribes again', async () => {
  const { campaignId, mail } = await mailTo('ada@example.org');
  const [, address = ''] = /^<([^>]+)>/.exec(mail.data.headers['list-unsubscribe'] ?? '') ?? [];
  expect(mail.body).toContain(`href="${address}"`);

  const answer = await fetch(address, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(answer.status).toBe(200);
  await countsOf(campaignId, { unsubscribed: 1, successful: 1 });
  const { body: marketing } = await client.push({
    recipients: ['ada@example.org'],
    channel: 'EMAIL',
    purpose: 'marketing',
    message: { body: BODY },
  });
  await eventually(
    async () =>
      expect(await client.campaign(marketing.campaignId)).toMatchObject({
        status: 'completed',
        failures: { unsubscribed: 1 },
      }),
    WAIT,
  );
  await mailTo('ada@example.org', 'transactional');

  await fetch(address, { method: 'POST', body: new URLSearchParams({ action: 'resubscribe' }) });
  await mailTo('ada@example.org');
}, 120_000);

test('one click unsubscribes the address of the mail, not the one that the profile has since', async () => {
  const setEmail = async (email: string) => {
    await client.submit({
      customUserId: MOVED,
      messages: [{ type: 'user', id: `email-${email}-${Date.now()}`, time: Date.now(), email }],
    });
    await eventually(
      async () =>
        expect(
          (await client.read<{ profile: { email: string } }>(`users/${MOVED}`)).profile.email,
        ).toBe(email),
      WAIT,
    );
  };
  const { mail } = await mailTo(MOVED);
  const [, address = ''] = /^<([^>]+)>/.exec(mail.data.headers['list-unsubscribe'] ?? '') ?? [];
  await setEmail('mary@new.example.org');

  expect(
    (
      await fetch(address, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
    ).status,
  ).toBe(200);

  expect((await mailTo(MOVED)).mail.to).toBe('mary@new.example.org');
  await setEmail(MOVED);
  const { body: next } = await client.push({
    recipients: [MOVED],
    channel: 'EMAIL',
    purpose: 'marketing',
    message: { body: BODY },
  });
  await eventually(
    async () =>
      expect(await client.campaign(next.campaignId)).toMatchObject({
        status: 'completed',
        failures: { unsubscribed: 1 },
      }),
    WAIT,
  );
}, 120_000);

test('a bounced mail is a failure and suppresses its address; a delayed one is not', async () => {
  const bounced = await mailTo('grace.bounce-later@example.org');
  const late = await mailTo('edith.bounce-soft@example.org');

  await countsOf(bounced.campaignId, { successful: 0, failed: 1 });
  await eventually(
    async () =>
      expect(await client.deliveries(bounced.campaignId)).toMatchObject([
        { status: 'failed', reason: 'invalid_address', providerCode: '5.1.1' },
      ]),
    WAIT,
  );
  const { body: next } = await client.push({
    recipients: ['grace.bounce-later@example.org'],
    channel: 'EMAIL',
    message: { body: BODY },
  });
  await eventually(
    async () =>
      expect(await client.campaign(next.campaignId)).toMatchObject({
        status: 'completed',
        failures: { suppressed_bounce: 1 },
      }),
    WAIT,
  );
  await eventually(async () => {
    const { items } = await client.read<{ items: readonly { readonly type: string }[] }>(
      `campaigns/${late.campaignId}/events?limit=100`,
    );
    expect(items.map(({ type }) => type)).toContain('delivery.bounce_delayed');
  }, WAIT);
  expect((await client.campaign(late.campaignId)).counts).toMatchObject({
    successful: 1,
    failed: 0,
  });
}, 120_000);

test('a complaint is counted besides the success and suppresses the address', async () => {
  const { campaignId } = await mailTo('alan.complain@example.org');

  await countsOf(campaignId, { complained: 1, successful: 1 });
  const { body: next } = await client.push({
    recipients: ['alan.complain@example.org'],
    channel: 'EMAIL',
    message: { body: BODY },
  });
  await eventually(
    async () =>
      expect(await client.campaign(next.campaignId)).toMatchObject({
        status: 'completed',
        failures: { suppressed_complaint: 1 },
      }),
    WAIT,
  );
}, 120_000);
