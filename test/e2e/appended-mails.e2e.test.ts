import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendRecipients } from '@tidings/delivery/append-recipients';
import { systemIds } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

type SandboxMail = { readonly to: string; readonly title: string | null; readonly body: string };

const WAIT = { timeoutMs: 60_000 };
const PEOPLE = ['ada', 'bob'];

let client: Client;
let db: Database;
let applicationId: string;
beforeAll(async () => {
  const { local } = await shareTidings('Appended mails');
  client = createClient(local);
  ({ applicationId } = local);
  db = connectDatabase({ databaseUrl: local.databaseUrl, poolMax: 1, applicationName: 'test' });
  for (const id of PEOPLE)
    await client.submit({
      customUserId: id,
      messages: [
        { type: 'user', id, time: Date.now(), email: `${id}@appended.example`, firstName: id },
      ],
    });
  await eventually(() => Promise.all(PEOPLE.map((id) => client.read(`users/${id}`))), WAIT);
}, 240_000);
afterAll(() => db?.close());

const run = (customUserId: string, item: string) => ({
  customUserId,
  runId: systemIds.uuid(),
  enteredAt: Date.now(),
  event: {
    name: 'cartd',
    time: Date.now(),
    attributes: { item },
    revenue: null,
    currency: null,
  },
});

// The process that appends ends before it dispatches: the sweep finds the mails.
test('what an automation appends arrives with the event of each run, three times for three orders', async () => {
  const automationId = systemIds.uuid();
  const message = {
    title: '{{ user.firstName }}, still there?',
    body: 'Your {{ event.attributes.item }} of {{ event.name }}',
  };
  const recipients = [
    run('ada', 'pens'),
    run('bob', 'ink'),
    run('ada', 'paper'),
    run('ada', 'glue'),
  ];
  const { deliveries } = await db.transaction((sql) =>
    appendRecipients(sql, [
      {
        applicationId,
        automationId,
        automationSlug: 'cart',
        version: 1,
        node: 'mail',
        channel: 'EMAIL',
        purpose: 'transactional',
        templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
        messageNo: 0,
        templateVersion: 0,
        expiresInMs: 3_600_000,
        heard: [],
        createdBy: 'test',
        shard: 0,
        recipients,
      },
    ]),
  );
  const campaignIds = [...new Set(deliveries.flat().map(({ campaignId }) => campaignId))];
  expect(campaignIds).toHaveLength(3);

  const mails = await eventually(async () => {
    const found: SandboxMail[] = [];
    for (const campaignId of campaignIds) {
      const { body } = await client.sandbox<{ messages: SandboxMail[] }>(
        'GET',
        `/api/messages?campaignId=${campaignId}`,
      );
      found.push(...body.messages);
    }
    if (found.length < recipients.length) throw new Error('not all mails yet');
    return found;
  }, WAIT);

  expect(mails).toHaveLength(recipients.length);
  const words = mails.map(({ title, body }) => `${title} ${body}`);
  for (const { customUserId, event } of recipients)
    expect(words).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${customUserId}, still there\\? Your ${event.attributes.item} of cartd`),
      ),
    );

  const list = await client.read<{ items: { campaignId: string }[] }>(
    `campaigns?automation=${automationId}&node=mail`,
  );
  expect(list.items.map(({ campaignId }) => campaignId).toSorted()).toEqual(campaignIds.toSorted());
  await eventually(async () => {
    for (const campaignId of campaignIds) {
      const { counts } = await client.campaign(campaignId);
      expect(counts.sent).toBe(counts.total);
    }
  }, WAIT);
}, 180_000);
