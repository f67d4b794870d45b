import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { homeLayout } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApplication, type Services } from './services.ts';
import { allowedIn, readEverything, readText, type SeenAnswer } from '../canaries/answers.ts';
import { canariesIn, SECRET_KINDS, type Canary, type CanaryKind } from '../canaries/canary.ts';
import {
  CUSTOMER,
  DEVICES,
  prepareFixtures,
  PROFILE,
  PUSH_TOKEN,
  TEXTS,
  type Admin,
} from '../canaries/fixtures.ts';
import { ALLOWED_COLUMNS, findInDatabase, notAllowed } from '../canaries/columns.ts';
import {
  enterAutomation,
  rehearseAutomation,
  leaveInInbox,
  writePersonally,
  type InboxMessage,
} from '../canaries/personal.ts';
import { createClient, type Client } from '../support/client.ts';

const WAIT = { timeoutMs: 120_000 };

/**
 * Unique values (canaries) are sent through all seven channels and in rejected requests. Then all
 * stores, logs and responses are searched for them.
 */
export function canaryTests(services: () => Services): void {
  let tidings: Services;
  let client: Client;
  let admin: Admin;
  let adminHeaders: Record<string, string>;
  let canaries: readonly Canary[];
  let userToken: string;
  let draftId = '';
  let runId = '';
  let rehearsalId = '';
  const campaignIds = new Map<string, string>();

  beforeAll(async () => {
    tidings = await useApplication(services(), 'Canaries');
    client = createClient(tidings.local);
    const { adminToken, applicationId, baseUrl } = tidings.local;
    adminHeaders = { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId };
    admin = (method, path, body) =>
      client.call(method, `${baseUrl}/api/v1/${path}`, { body, headers: adminHeaders });
    await client.submit({
      customUserId: CUSTOMER,
      messages: [{ type: 'user', id: 'register', time: Date.now(), ...PROFILE }],
    });
    await eventually(() => client.read(`users/${CUSTOMER}`), WAIT);
    ({ canaries, userToken } = await prepareFixtures({
      local: tidings.local,
      home: tidings.home,
      client,
      admin,
    }));
  }, 600_000);
  afterAll(() => client?.sandbox('DELETE', '/api/faults'));

  test('a message to the user is being written', async () => {
    const { status, body } = await admin<{ draftId: string }>('POST', 'drafts', {
      content: { channel: 'EMAIL', recipients: [CUSTOMER], message: TEXTS },
    });
    expect(status).toBe(201);
    ({ draftId } = body);
  });

  test('a segment is asked for, and its member gets personal messages', async () => {
    await writePersonally({ client, admin });
  }, 300_000);

  test('an automation writes to the user', async () => {
    runId = await enterAutomation(client, admin);
    rehearsalId = await rehearseAutomation(client, admin);
  }, 180_000);

  test('a message is sent by each channel, gets feedback, and fails', async () => {
    for (const channel of CHANNELS) {
      const { status, body } = await client.push({
        recipients: [CUSTOMER],
        channel,
        message: channel === 'SMS' ? { body: TEXTS.body } : TEXTS,
      });
      expect(status).toBe(200);
      campaignIds.set(channel, body.campaignId);
    }
    await tellOfInbox();
    for (const [channel, campaignId] of campaignIds)
      await eventually(
        async () =>
          expect([channel, await client.campaign(campaignId)]).toMatchObject([
            channel,
            { status: 'completed', counts: { successful: 1, total: 1 } },
          ]),
        WAIT,
      );

    // Rejections of providers appear in logs and reports, too.
    for (const channel of ['EMAIL', 'SMS', 'WEB_HOOK', 'WEB_PUSH', 'APP_PUSH'] as const) {
      await client.sandbox('POST', '/api/faults', {
        channel,
        kind: 'status',
        status: channel === 'EMAIL' ? 554 : 400,
        rate: 1,
      });
      const { body } = await client.push({
        recipients: [CUSTOMER],
        channel,
        message: channel === 'SMS' ? { body: TEXTS.body } : TEXTS,
      });
      await eventually(
        async () =>
          expect([channel, (await client.campaign(body.campaignId)).counts]).toMatchObject([
            channel,
            { failed: 1 },
          ]),
        WAIT,
      );
    }
    await client.sandbox('DELETE', '/api/faults');
  }, 600_000);

  /** What the device may do. */
  const sdk = <T>(method: string, path: string, body?: object) =>
    client.call<T>(method, `${tidings.local.baseUrl}/sdk/v1/${path}`, {
      headers: {
        'X-Application-Id': tidings.local.applicationId,
        'X-API-Key': tidings.local.clientKey,
      },
      ...(body !== undefined && { body }),
    });

  /** Messages that wait for the device. */
  async function readMessages(): Promise<readonly InboxMessage[]> {
    const { body } = await sdk<{ messages: readonly InboxMessage[] }>(
      'GET',
      `messages?deviceId=${DEVICES.screen}&wait=0`,
    );
    return body.messages;
  }

  /** The device fetches its waiting messages and sends receipts. */
  async function tellOfInbox(): Promise<void> {
    const told = new Set<string>();
    await eventually(async () => {
      for (const { deliveryId } of await readMessages()) {
        const { status } = await sdk('POST', 'receipts', {
          deviceId: DEVICES.screen,
          receipts: [{ deliveryId, event: 'displayed' }],
        });
        if (status === 200) told.add(deliveryId);
      }
      expect(told.size).toBe(2);
    }, WAIT);
  }

  test('a personal message waits in the inbox', () => leaveInInbox(client, readMessages), 180_000);

  /** The response of each GET operation about the customer. */
  async function readAll(): Promise<readonly SeenAnswer[]> {
    const { baseUrl, applicationId } = tidings.local;
    const items = async (path: string) =>
      (await admin<{ items: Record<string, string>[] }>('GET', path)).body.items;
    const [webhook] = await items('webhooks');
    const { items: requests } = await client.read<{ items: { requestId: string }[] }>(
      'ingest?limit=1',
    );
    const ids = {
      applicationId,
      campaignId: campaignIds.get('EMAIL') ?? '',
      customUserId: CUSTOMER,
      channel: 'EMAIL',
      webhookId: webhook?.['id'] ?? '',
      requestId: requests[0]?.requestId ?? '',
      index: '0',
      slug: 'qwert',
      deadLetterId: '00000000-0000-7000-8000-000000000001',
      deliveryId: '00000000-0000-7000-8000-000000000001',
      draftId,
      runId,
      rehearsalId,
    };

    return readEverything(client, { baseUrl, headers: adminHeaders, ids });
  }

  test('no response has a credential; profiles and messages are only in the responses for them', async () => {
    const answers = await readAll();

    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(15);
    expect(answers.find(({ path }) => path.includes(`/users/${CUSTOMER}`))?.text).toContain(
      PROFILE.email,
    );
    expect(faultsOf(answers)).toEqual([]);
  }, 300_000);

  test('no error repeats what was sent', async () => {
    const { baseUrl, applicationId, serverKey, clientKey } = tidings.local;
    const all = { ...PROFILE, ...TEXTS, token: PUSH_TOKEN, userToken };
    const message = { type: 'user', id: 'refused', time: 'now', ...all };
    const post = (path: string, key: string, body: unknown) =>
      readText(`${baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Application-Id': applicationId,
          'X-API-Key': key,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const [phone, email] = [PROFILE.phoneNumber, PROFILE.email];

    const answers = await Promise.all([
      post('/', `${serverKey}x`, { customUserId: CUSTOMER, messages: [message] }),
      post('/', serverKey, { customUserId: CUSTOMER, messages: [message] }),
      post(
        '/',
        serverKey,
        `{"customUserId":"${CUSTOMER}","messages":[{"email":"${email}","body":"${TEXTS.body}"`,
      ),
      post('/', serverKey, {
        customUserId: CUSTOMER,
        messages: [{ type: email, id: 'refused', time: phone, [TEXTS.body]: 1 }],
      }),
      post('/', clientKey, {
        customUserId: CUSTOMER,
        messages: [
          { type: 'businessEvent', id: 'b', time: 1, customName: TEXTS.body, attributes: all },
        ],
      }),
      post('/', serverKey, { customUserId: email, messages: [message] }),
      post('/push', serverKey, { recipients: [email], channel: TEXTS.body, message: all }),
      post('/push', serverKey, {
        recipients: 5,
        channel: 'EMAIL',
        message: { title: TEXTS.title, body: { path: TEXTS.body } },
      }),
      post('/push', clientKey, { recipients: [email], channel: 'EMAIL', message: all }),
      post('/sdk/v1/devices', clientKey, {
        deviceId: DEVICES.phone,
        kind: 'fcm',
        token: 5,
        userToken,
      }),
      post('/sdk/v1/identify', clientKey, { deviceId: DEVICES.screen, userToken: `${userToken}x` }),
      readText(`${baseUrl}/api/v1/suppressions`, {
        method: 'POST',
        headers: { ...adminHeaders, 'Content-Type': 'application/json' },
        body: JSON.stringify({ channel: 'SMS', address: email, reason: 'sms_stop' }),
      }),
      readText(`${baseUrl}/api/v1/channels/SMS`, {
        method: 'PUT',
        headers: { ...adminHeaders, 'Content-Type': 'application/json' },
        body: JSON.stringify({ accountSid: phone, authToken: 5, from: email }),
      }),
      readText(`${baseUrl}/t/c/${encodeURIComponent(userToken)}`),
    ]);

    for (const { status, path } of answers)
      expect([path, [400, 403, 404].includes(status)]).toEqual([path, true]);
    expect(
      answers.flatMap(({ path, text }) =>
        canariesIn(text, canaries).map(({ name }) => `${path}: ${name}`),
      ),
    ).toEqual([]);
    // The ingest log keeps their user ids as the caller chose them, even e-mail addresses.
    await eventually(
      async () =>
        expect(
          (
            await client.read<{ items: object[] }>(
              `ingest?customUserId=${encodeURIComponent(email)}`,
            )
          ).items,
        ).toMatchObject([{ status: 400, customUserId: email }]),
      WAIT,
    );
  }, 120_000);

  test('the database has no plain credential, and personal data only in the allowed columns', async () => {
    const db = connectDatabase({
      databaseUrl: tidings.local.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
    });
    try {
      const findings = await findInDatabase(db, canaries);

      expect(notAllowed(findings)).toEqual([]);
      expect(findings.filter(({ kind }) => SECRET_KINDS.includes(kind))).toEqual([]);
      // The search must find the canaries where they are allowed.
      expect(new Set(findings.map(({ where }) => where))).toEqual(
        new Set([
          'users.fields',
          'users.phone_e164',
          'users.email_key',
          'devices.address',
          'campaigns.message',
          'campaigns.search_text',
          'campaign_drafts.content',
          'inbox.message',
          'automation_runs.data',
          'delivery_contexts.event',
          'delivery_data.filled_in',
          'refused_requests.custom_user_id',
        ]),
      );
      for (const { where } of findings) expect(ALLOWED_COLUMNS[where]?.why).toBeTruthy();
    } finally {
      await db.close();
    }
  }, 300_000);

  test('no log and no metric has a canary', expectNothingLogged, 120_000);

  async function expectNothingLogged(): Promise<void> {
    const { logDir } = homeLayout(tidings.home);
    // The sandbox stands for providers and users, which may see the values.
    const files = readdirSync(logDir).filter((name) => !name.startsWith('sandbox'));
    const logs = files.map((name) => ({
      path: name,
      status: 200,
      text: readFileSync(join(logDir, name), 'utf8'),
    }));
    const metrics = await Promise.all(
      tidings.local.services.map(async ({ name, metricsUrl }) => ({
        ...(await readText(metricsUrl)),
        path: `metrics of ${name}`,
      })),
    );

    // Each service logs at least its start.
    expect(
      tidings.local.services.filter(
        ({ name }) =>
          name !== 'sandbox' &&
          !logs.some(({ path, text }) => path.startsWith(name) && text !== ''),
      ),
    ).toEqual([]);
    expect(metrics.every(({ text }) => text.includes('# HELP'))).toBe(true);
    expect(
      [...logs, ...metrics].flatMap(({ path, text }) =>
        canariesIn(text, canaries).map(({ name }) => `${path}: ${name}`),
      ),
    ).toEqual([]);
  }

  test('after its deletion no table, log or response has a word of the user', async () => {
    const own = canaries.filter(({ kind }) => KINDS_OF_USER.includes(kind));
    const db = connectDatabase({
      databaseUrl: tidings.local.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
    });
    try {
      // The second one is the sender's choice of an id: requests that were refused have it.
      for (const customUserId of [CUSTOMER, PROFILE.email])
        await admin('DELETE', `users/${encodeURIComponent(customUserId)}`);
      await eventually(async () => expect(await findInDatabase(db, own)).toEqual([]), WAIT);
    } finally {
      await db.close();
    }

    const answers = await readAll();
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(15);
    expect(
      answers.flatMap(({ path, text }) =>
        canariesIn(text, own).map(({ name }) => `${path}: ${name}`),
      ),
    ).toEqual([]);
    await expectNothingLogged();
  }, 300_000);

  const KINDS_OF_USER: readonly CanaryKind[] = [
    'phone number',
    'e-mail address',
    'name',
    'push address',
    'user token',
  ];

  const faultsOf = (answers: readonly SeenAnswer[]): readonly string[] =>
    answers.flatMap(({ path, text }) =>
      canariesIn(text, canaries)
        .filter(({ kind }) => !allowedIn(path).includes(kind))
        .map(({ name }) => `${path}: ${name}`),
    );
}
