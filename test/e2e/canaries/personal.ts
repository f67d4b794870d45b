import { expect } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Client } from '../support/client.ts';
import { CUSTOMER, PROFILE, type Admin } from './fixtures.ts';

/** Names the segment and the template, as `readEverything` asks for them. */
const SLUG = 'qwert';
const CONDITION = { field: 'firstName', startsWith: PROFILE.firstName.slice(0, 5) };
/** Words of the profile at each place that is rendered. */
const MESSAGE = {
  title: '{{ user.firstName }}, hello',
  body: 'Your address is {{ user.email }}, your number {{ user.phoneNumber }}.',
};
const WAIT = { timeoutMs: 120_000 };

/**
 * Asks about a segment whose member is the customer, and sends it personal messages by each channel
 * without an inbox.
 */
export async function writePersonally({
  client,
  admin,
}: {
  readonly client: Client;
  readonly admin: Admin;
}): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await admin<Record<string, unknown>>(method, path, body);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  const condition = CONDITION;
  await ask('PUT', `segments/${SLUG}`, { name: 'Canaries', condition });
  await ask('PUT', `blocks/${SLUG}`, { name: 'Canaries', text: '{{ user.email }}' });
  await ask('PUT', `templates/${SLUG}`, {
    name: 'Canaries',
    channel: 'EMAIL',
    message: MESSAGE,
    variants: [{ name: 'Members', condition, message: MESSAGE }],
  });
  expect(await ask('POST', 'segments/preview', { condition })).toMatchObject({
    sample: [CUSTOMER],
  });
  const asked = { condition, customUserId: CUSTOMER };
  expect(await ask('POST', 'segments/explain', asked)).toMatchObject({ isMember: true });
  await ask('POST', 'segments/count', { condition });
  await ask('GET', 'suggestions');
  const previewed = { customUserId: CUSTOMER, channel: 'EMAIL', message: MESSAGE };
  expect(await ask('POST', 'templates/preview', previewed)).toMatchObject({
    message: { title: `${PROFILE.firstName}, hello` },
  });

  for (const channel of ['EMAIL', 'SMS', 'WEB_HOOK', 'WEB_PUSH', 'APP_PUSH'] as const) {
    const words =
      channel === 'EMAIL'
        ? { template: SLUG }
        : {
            personalize: true,
            message: channel === 'SMS' ? { body: MESSAGE.body } : MESSAGE,
          };
    const { body } = await client.push({ segment: SLUG, channel, ...words });
    await eventually(
      async () =>
        expect([channel, (await client.campaign(body.campaignId)).counts]).toMatchObject([
          channel,
          { successful: 1, total: 1 },
        ]),
      WAIT,
    );
    await ask('POST', `campaigns/${body.campaignId}/render`, { customUserId: CUSTOMER });
  }
  // A variable that is missing is named in the outcome.
  const { body } = await client.push({
    segment: SLUG,
    channel: 'EMAIL',
    personalize: true,
    message: { ...MESSAGE, title: '{{ user.firstName }} {{ user.customAttributes.missing }}' },
  });
  await eventually(
    async () =>
      expect((await client.campaign(body.campaignId)).counts).toMatchObject({ failed: 1 }),
    WAIT,
  );
}

/** Enters the customer into an automation that writes to them. Returns the run. */
export async function enterAutomation(client: Client, admin: Admin): Promise<string> {
  const definition = {
    version: 1,
    name: 'Canaries',
    purpose: 'transactional',
    trigger: { api: true },
    nodes: [
      {
        id: 'mail1',
        send: {
          channel: 'EMAIL',
          message: { ...MESSAGE, title: '{{ event.attributes.note }}, hello' },
        },
      },
      { id: 'days', delay: '30d' },
    ],
  };
  for (const [method, path, body] of [
    ['PUT', `automations/${SLUG}`, definition],
    ['POST', `automations/${SLUG}/activate`, {}],
  ] as const)
    expect([path, (await admin(method, path, body)).status]).toEqual([path, 200]);
  const { status, body } = await admin<{ runId: string }>('POST', `automations/${SLUG}/runs`, {
    customUserId: CUSTOMER,
    data: { note: PROFILE.firstName },
  });
  expect(status).toBe(202);
  await eventually(
    async () =>
      expect(
        await client.read<{ nodes: readonly object[] }>(`automations/${SLUG}/report`),
      ).toMatchObject({ nodes: [{ id: 'mail1', sent: { sent: 1 } }, { waiting: 1 }] }),
    WAIT,
  );
  return body.runId;
}

/** Tries another draft on what the customer did. Returns the rehearsal. */
export async function rehearseAutomation(client: Client, admin: Admin): Promise<string> {
  const event = { kind: 'action', name: 'canary_seen' } as const;
  const definition = {
    version: 1,
    name: 'Rehearsed canaries',
    purpose: 'transactional',
    trigger: { event },
    nodes: [{ id: 'mail1', send: { channel: 'EMAIL', message: MESSAGE } }],
  };
  expect((await admin('POST', 'definitions', event)).status).toBe(201);
  const from = Date.now() - 3_600_000;
  const { status } = await client.submit({
    customUserId: CUSTOMER,
    messages: [{ type: event.kind, id: 'seen', time: Date.now(), customName: event.name }],
  });
  expect(status).toBe(200);
  return eventually(async () => {
    const asked = await admin<{ rehearsalId: string }>('POST', `automations/${SLUG}/rehearse`, {
      from,
      to: Date.now(),
      definition,
    });
    expect(asked.status).toBe(202);
    const { rehearsalId } = asked.body;
    const rehearsed = await eventually(async () => {
      const read = await client.read<{
        status: string;
        entered: number;
        traces: readonly object[];
      }>(`rehearsals/${rehearsalId}`);
      expect(read.status).toBe('completed');
      return read;
    }, WAIT);
    // The event may be stored later than it is asked for.
    expect(rehearsed).toMatchObject({ entered: 1, traces: [{ customUserId: CUSTOMER }] });
    return rehearsalId;
  }, WAIT);
}

export type InboxMessage = {
  readonly deliveryId: string;
  readonly message: { readonly title?: string };
};

/** Leaves a personal message in the inbox, rendered for the device that asked. */
export async function leaveInInbox(
  client: Client,
  readMessages: () => Promise<readonly InboxMessage[]>,
): Promise<void> {
  await client.push({ segment: SLUG, channel: 'IN_APP', personalize: true, message: MESSAGE });
  await eventually(
    async () =>
      expect((await readMessages()).map(({ message }) => message.title)).toContain(
        `${PROFILE.firstName}, hello`,
      ),
    WAIT,
  );
}
