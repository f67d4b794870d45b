import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { metricsRegistry } from '@tidings/platform';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { firing } from './testing/firing.ts';
import { startReceiver } from './testing/receiver.ts';
import { createListening, startSending } from './testing/test-webhooks.ts';

jest.setTimeout(120_000);
const PATIENT = { timeoutMs: 60_000 };

const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());
afterEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));

const ALERTS = ['TidingsWebhooksWait', 'TidingsWebhooksDown', 'TidingsWebhookEndpointBehind'];
const alerts = async () => firing(ALERTS, await metricsRegistry.metrics());
const makeOverdue = (minutes: number) =>
  db.sql.query(
    "update webhook_deliveries set next_at = now() - $1 * interval '1 min' where state = 'pending' and lease_until is null",
    [minutes],
  );

test('a dead endpoint with a backlog alerts by its id, but not for the service, which sends to the others', async () => {
  await using dead = await startReceiver(() => undefined);
  await using well = await startReceiver();
  const app = await createListening(db, [dead.url, well.url]);
  const [deadId, wellId] = app.endpoints.map(({ id }) => id);
  await app.happen('campaign.completed', 50);
  await makeOverdue(45);
  await using _sending = await startSending(db, { WEBHOOK_TIMEOUT_MS: '3000' });

  await eventually(() => expect(well.received).toHaveLength(50), PATIENT);
  await eventually(
    async () =>
      expect(await alerts()).toEqual({
        TidingsWebhookEndpointBehind: [`application="${app.applicationId}",endpoint="${deadId}"`],
      }),
    PATIENT,
  );
  expect(deadId).not.toBe(wellId);
  expect((await app.log(deadId)).filter(({ attempts }) => attempts === 0).length).toBeGreaterThan(
    0,
  );
});

test('a service that claims nothing alerts in any state of its endpoints', async () => {
  await using well = await startReceiver();
  const app = await createListening(db, [well.url]);
  await app.happen('campaign.completed', 3);
  await makeOverdue(15);

  await db.transaction(async (sql) => {
    // Claims skip locked rows: the service measures, and sends nothing.
    await sql.query('select 1 from webhook_deliveries for update');
    await using _sending = await startSending(db);
    await eventually(
      async () => expect(Object.keys(await alerts())).toEqual(['TidingsWebhooksWait']),
      PATIENT,
    );
  });

  expect(well.received).toEqual([]);
});

test('a service that does not run alerts', () => {
  expect(Object.keys(firing(ALERTS, '# nothing is scraped\n'))).toEqual(['TidingsWebhooksDown']);
});
