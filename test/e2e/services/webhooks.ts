import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closed } from '@tidings/api/src/testing/check-answers.ts';
import { resolveReferences, type Json } from '@tidings/api/src/testing/references.ts';
import type { WebhookEvent } from '@tidings/contracts/webhooks';
import { createValidator } from '@tidings/validation';
import { eventually } from '@tidings/testing';
import { Webhook } from 'standardwebhooks';
import { useApplication, type Services } from './services.ts';
import { createClient, registerUsers, type Client } from '../support/client.ts';

const RECIPIENTS = 300;
const PATIENT = { timeoutMs: 120_000, intervalMs: 250 };

/** Webhooks of a campaign whose worker and webhooks are killed. */
export function webhookTests(services: () => Services): void {
  let tidings: Services;
  let client: Client;

  /** A receiver as an application writes it; stores each body with a valid signature by event id. */
  const bodies = new Map<string, string[]>();
  let secret = '';
  const refused: string[] = [];
  const receiver = createServer((req, res) => {
    void text(req).then((body) => {
      try {
        const event = new Webhook(secret).verify(
          body,
          req.headers as Record<string, string>,
        ) as WebhookEvent;
        bodies.set(event.id, [...(bodies.get(event.id) ?? []), body]);
        setTimeout(() => res.writeHead(204).end(), 30);
      } catch {
        refused.push(body);
        res.writeHead(400).end();
      }
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    tidings = await useApplication(services(), 'Webhooks');
    client = createClient(tidings.local);
  }, 180_000);
  afterAll(async () => {
    await client?.sandbox('DELETE', '/api/faults');
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  }, 60_000);

  type Described = {
    readonly post: {
      readonly requestBody: {
        readonly content: { readonly 'application/json': { schema: object } };
      };
    };
  };

  /** Validates an event against the OpenAPI schema of its type, without additional fields. */
  async function readDocumented(): Promise<(event: WebhookEvent) => boolean> {
    const { body } = await client.call<Json>('GET', `${tidings.local.baseUrl}/openapi.json`);
    const { webhooks } = resolveReferences(body) as {
      readonly webhooks: Readonly<Record<string, Described>>;
    };
    const validators = Object.values(webhooks).map(({ post }) =>
      createValidator(closed(post.requestBody.content['application/json'].schema) as object),
    );
    return (event) => validators.some((validate) => validate(event).ok);
  }

  const nameOf = ({ type, data: { deliveryId } }: WebhookEvent): string =>
    typeof deliveryId === 'string' ? `${type} ${deliveryId}` : type;

  test('kill -9 of workers and webhooks: every outcome is sent, with one id and one body each', async () => {
    const people = Array.from({ length: RECIPIENTS }, (_, index) => `person-${index}`);
    await registerUsers(client, people);
    await eventually(() => client.read('users/person-0'), PATIENT);
    await client.sandbox('POST', '/api/faults', {
      channel: 'EMAIL',
      kind: 'delay',
      rate: 1,
      delayMs: 200,
    });
    const { port } = receiver.address() as AddressInfo;
    const headers = {
      'X-Application-Id': tidings.local.applicationId,
      Authorization: `Bearer ${tidings.local.adminToken}`,
    };
    const made = await client.call<{ secret: string }>(
      'POST',
      `${tidings.local.baseUrl}/api/v1/webhooks`,
      { headers, body: { url: `http://127.0.0.1:${port}/hook` } },
    );
    expect(made.status).toBe(201);
    secret = made.body.secret;

    const { body } = await client.push({
      recipients: [...people, 'unregistered'],
      channel: 'EMAIL',
      message: { title: 'To all', body: 'Once.' },
    });
    for (const [service, told] of [
      ['webhooks', 20],
      ['worker-email', 60],
      ['webhooks', 100],
      ['webhooks', 140],
    ] as const) {
      await eventually(() => expect(bodies.size).toBeGreaterThanOrEqual(told), PATIENT);
      tidings.supervisor.kill(service, 'SIGKILL');
      await tidings.supervisor.ready(service);
    }
    await eventually(
      async () => expect((await client.campaign(body.campaignId)).status).toBe('completed'),
      PATIENT,
    );

    const deliveries = await client.deliveries(body.campaignId);
    const expected = [
      ...deliveries.map(({ deliveryId, status }) => `message.${status} ${deliveryId}`),
      'campaign.queued',
      'campaign.started',
      'campaign.completed',
    ];
    const told = () =>
      [...bodies.values()].map(([first = '']) => nameOf(JSON.parse(first) as WebhookEvent));
    await eventually(
      () => expect(expected.filter((one) => !told().includes(one))).toEqual([]),
      PATIENT,
    );
    expect(deliveries).toHaveLength(RECIPIENTS + 1);
    expect(new Set(told()).size).toBe(bodies.size);
    // Besides the final outcome of each delivery, at most an `unknown` before a late status update.
    expect(
      told().filter((one) => !expected.includes(one) && !one.startsWith('message.unknown')),
    ).toEqual([]);
    expect([...bodies.values()].filter((copies) => new Set(copies).size !== 1)).toEqual([]);
    const isDocumented = await readDocumented();
    const events = [...bodies.values()].map(([first = '']) => JSON.parse(first) as WebhookEvent);
    expect(events.filter((event) => !isDocumented(event))).toEqual([]);
    expect(refused).toEqual([]);
  }, 400_000);
}
