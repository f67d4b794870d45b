import { beforeAll, describe, expect, test } from '@jest/globals';
import { adminAccess, callApi } from '@tidings/install';
import { eventually } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

type SandboxMail = {
  readonly to: string;
  readonly body: string;
  readonly data: { readonly headers: Readonly<Record<string, string>> };
};

const WAIT = { timeoutMs: 60_000 };
/** What comes sooner after a mail was sent is a scanner's. */
const AFTER_SCANNERS_MS = 2_000;
const BOUNCE_SECRET = 'a secret of bounces, of thirty-two';
const BODY =
  '<p>Look at <a href="https://shop.example/1">this</a> or <a href="https://shop.example/2">that</a>.</p>';

let tidings: Awaited<ReturnType<typeof shareTidings>>;
let client: Client;
beforeAll(async () => {
  tidings = await shareTidings('Outside world');
  client = createClient(tidings.local);
  const admin = adminAccess(tidings.local.baseUrl, tidings.local);
  const { settings } = await callApi<{ readonly settings: object }>(admin, {
    path: '/api/v1/channels/EMAIL',
  });
  await callApi(admin, {
    method: 'PUT',
    path: '/api/v1/channels/EMAIL',
    body: { ...settings, bounceSecret: BOUNCE_SECRET },
  });
  await callApi(admin, {
    method: 'POST',
    path: '/api/v1/channels/EMAIL/test',
    body: { to: 'test@example.org' },
  });
}, 240_000);

let people = 0;
/** A user with this profile, or with an address of one's own. */
async function register(
  profile: object = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const id = `reader-${people++}`;
  const email = `${id}@example.org`;
  const { status } = await client.submit({
    customUserId: id,
    messages: [{ type: 'user', id: `register-${id}`, time: Date.now(), email, ...profile }],
  });
  expect(status).toBe(200);
  await eventually(() => client.read(`users/${id}`), WAIT);
  return { id, email };
}

async function push(customUserId: string, more: object = {}): Promise<string> {
  const { status, body } = await client.push({
    recipients: [customUserId],
    channel: 'EMAIL',
    message: { title: 'c', body: BODY },
    ...more,
  });
  expect(status).toBe(200);
  return body.campaignId;
}

async function mailToReader() {
  const { id, email } = await register();
  const campaignId = await push(id);
  const mail = await eventually(async () => {
    const { body } = await client.sandbox<{ messages: SandboxMail[] }>(
      'GET',
      `/api/messages?campaignId=${campaignId}`,
    );
    const [first] = body.messages;
    if (first === undefined) throw new Error('no mail yet');
    return first;
  }, WAIT);
  await eventually(
    async () => expect((await client.campaign(campaignId)).counts.successful).toBe(1),
    WAIT,
  );
  return { campaignId, mail, email };
}

const PIXEL = /<img src="([^"]+\/t\/o\/[^"]+)"/;
const LINK = /href="([^"]+\/t\/c\/[^"]+)"/;

const READERS = [
  [
    'opened through the image proxy of Gmail',
    PIXEL,
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    { opened: 1, machineOpened: 0 },
  ],
  [
    'opened by the privacy proxy of Apple Mail',
    PIXEL,
    'Mozilla/5.0',
    { opened: 0, machineOpened: 1 },
  ],
  [
    'clicked on a phone with a name like a program',
    LINK,
    'Mozilla/5.0 (Linux; Android 12; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
    { clicked: 1 },
  ],
  [
    'clicked in the browser of Telegram',
    LINK,
    'Mozilla/5.0 (Linux; Android 13; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Mobile Safari/537.36 Telegram-Android/10.5',
    { clicked: 1 },
  ],
  [
    'clicked in Slack',
    LINK,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38 Chrome/124 Electron/30 Safari/537.36',
    { clicked: 1 },
  ],
  [
    'a preview of Telegram',
    LINK,
    'TelegramBot (like TwitterBot)',
    { clicked: 0, machineClicked: 1 },
  ],
  [
    'a preview of Slack',
    LINK,
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    { clicked: 0, machineClicked: 1 },
  ],
  ['fetched by a script', LINK, 'curl/8.5.0', { clicked: 0, machineClicked: 1 }],
] as const;

describe('a mail that is', () => {
  /** Each has a mail of its own. They read at the same time, since each waits. */
  let campaignIds: readonly string[];
  beforeAll(async () => {
    campaignIds = await Promise.all(
      READERS.map(async ([, place, userAgent]) => {
        const { campaignId, mail } = await mailToReader();
        await delay(AFTER_SCANNERS_MS);
        const [, url = ''] = place.exec(mail.body) ?? [];
        await fetch(url, { headers: { 'User-Agent': userAgent }, redirect: 'manual' });
        return campaignId;
      }),
    );
  }, 180_000);

  test.each(READERS.map(([what, , , counts], reader) => ({ what, counts, reader })))(
    '$what counts $counts',
    async ({ counts, reader }) => {
      const campaignId = campaignIds[reader] ?? '';

      await eventually(
        async () => expect((await client.campaign(campaignId)).counts).toMatchObject(counts),
        WAIT,
      );
    },
    90_000,
  );
});

const REPORT = (status: string, diagnostic: string): string =>
  [
    'From: MAILER-DAEMON@mx.example.net',
    'To: bounce+TOKEN@bounces.example.org',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Your message could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    'Final-Recipient: rfc822; ADDRESS',
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic}`,
    '',
    '--b--',
    '',
  ].join('\r\n');

const HMAILSERVER = [
  'Return-Path: <>',
  'From: mailer-daemon@mx.example.net',
  'To: bounce+TOKEN@bounces.example.org',
  'Subject: Message undeliverable: c',
  'Content-Type: text/plain; charset="utf-8"',
  '',
  'Your message did not reach some or all of the intended recipients.',
  '',
  '   Sent: Sat, 28 Nov 2026 12:00:00 +0000',
  '   Subject: c',
  '',
  'The following recipient(s) could not be reached:',
  '',
  'ADDRESS',
  '   Error Type: SMTP',
  '   Remote server (192.0.2.1) issued an error.',
  '   hMailServer sent: RCPT TO:<ADDRESS>',
  '   Remote server replied: 550 5.1.1 User unknown',
  '',
].join('\r\n');

const EXIM = [
  'From: Mail Delivery System <Mailer-Daemon@mx.example.net>',
  'To: bounce+TOKEN@bounces.example.org',
  'Auto-Submitted: auto-replied',
  'X-Failed-Recipients: ADDRESS',
  'Subject: Mail delivery failed: returning message to sender',
  '',
  'A message that you sent could not be delivered to one or more of its',
  'recipients. This is a permanent error. The following address(es) failed:',
  '',
  '  ADDRESS',
  '    SMTP error from remote mail server after RCPT TO:<ADDRESS>:',
  '    host mx.example [192.0.2.1]: 550 5.1.1 User unknown',
  '',
  '------ This is a copy of the message, including all the headers. ------',
  '',
  'X-Tidings-Return: TOKEN',
  'Subject: c',
  '',
].join('\r\n');

const NO_MAILBOX = { reason: 'invalid_address', bounce: 'no_mailbox', isSuppressed: true };
const REFUSED = { reason: 'provider_rejected', bounce: 'refused', isSuppressed: false };

test.each([
  [
    '5.4.1 of a directory that knows no such mailbox',
    REPORT('5.4.1', '550 5.4.1 Recipient address rejected: Access denied. AS(000000000) [X.prod]'),
    NO_MAILBOX,
  ],
  ['an unspecific status with clear words', REPORT('5.0.0', '550 Unknown User'), NO_MAILBOX],
  [
    'a refused sender',
    REPORT('5.1.0', '550 5.1.0 <bounce@cases.example> sender rejected. Code AUP-1310'),
    REFUSED,
  ],
  [
    'an IP address that looks like a status',
    REPORT('5.0.0', '554 Service unavailable; Client host [194.5.1.10] blocked by a list'),
    REFUSED,
  ],
  ['the own form of hMailServer', HMAILSERVER, NO_MAILBOX],
  ['the own form of Exim', EXIM, NO_MAILBOX],
])(
  'a bounce with %s',
  async (_what, report, { reason, bounce, isSuppressed }) => {
    const { campaignId, mail, email } = await mailToReader();
    const token = mail.data.headers['x-tidings-return'] ?? '';
    const { applicationId, baseUrl } = tidings.local;

    const { status } = await client.call('POST', `${baseUrl}/cb/email/dsn`, {
      body: report.replaceAll('TOKEN', token).replaceAll('ADDRESS', email),
      headers: {
        Authorization: `Basic ${Buffer.from(`${applicationId}:${BOUNCE_SECRET}`).toString('base64')}`,
        'Content-Type': 'message/rfc822',
      },
    });

    expect(status).toBe(204);
    const [delivery] = await client.deliveries(campaignId);
    expect(delivery).toMatchObject({ status: 'failed', reason, bounce: { class: bounce } });
    const { items } = await callApi<{ readonly items: readonly { readonly address: string }[] }>(
      adminAccess(baseUrl, tidings.local),
      { path: '/api/v1/suppressions?channel=EMAIL&limit=500' },
    );
    expect(items.some(({ address }) => address === email)).toBe(isSuppressed);
  },
  180_000,
);

test('a mailbox is suppressed in every spelling', async () => {
  const { id } = await register({ email: 'ada@xn--mnchen-3ya.example' });
  const admin = adminAccess(tidings.local.baseUrl, tidings.local);
  await callApi(admin, {
    method: 'POST',
    path: '/api/v1/suppressions',
    body: { channel: 'EMAIL', address: 'ADA@m\u00fcnchen.example', reason: 'unsubscribed' },
  });

  const campaignId = await push(id, { purpose: 'marketing' });

  await eventually(async () => {
    expect(await client.deliveries(campaignId)).toMatchObject([
      { status: 'failed', reason: 'unsubscribed' },
    ]);
  }, WAIT);
}, 120_000);

test.each(['\u202a+49 151 23456789\u202c', '\u200e+4915123456789', '+49 151 23456789\u200f'])(
  'a phone number with direction marks is called: %j',
  async (phoneNumber) => {
    const { id } = await register({ phoneNumber });

    const campaignId = await push(id, { channel: 'SMS', message: { body: 'x' } });

    const { body } = await eventually(async () => {
      const found = await client.sandbox<{ messages: { to: string }[] }>(
        'GET',
        `/api/messages?campaignId=${campaignId}`,
      );
      expect(found.body.messages).toHaveLength(1);
      return found;
    }, WAIT);
    expect(body.messages.map(({ to }) => to)).toEqual(['+4915123456789']);
  },
  120_000,
);
