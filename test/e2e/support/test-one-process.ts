import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { STAGES } from '@tidings/all/src/service.ts';
import type { StackOptions } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { createClient, registerUsers, type Client } from './client.ts';
import { startOneProcess } from './one-process.ts';

const NAMES = [...STAGES.flat().map(({ name }) => name), 'sandbox'];

/** What one process must do, with Kafka and Redis and without. */
export function testOneProcess(has: StackOptions['has']): void {
  let running: Awaited<ReturnType<typeof startOneProcess>>;
  let client: Client;

  // The start sends a test message through each of the seven channels.
  beforeAll(async () => {
    running = await startOneProcess({ has });
    client = createClient(running.local);
  }, 180_000);
  afterAll(async () => {
    await running?.kill();
    await running?.stopStores();
  }, 60_000);

  test('every service says by its own name that it is ready', () => {
    const ready = running.lines.filter(({ msg }) => msg === 'service ready');

    expect(ready.map(({ service }) => service).toSorted()).toEqual(NAMES.toSorted());
  });

  test('what a consumer logs has the name of its service', () => {
    const joined = running.lines.filter(({ msg }) => msg === 'consumer joined');

    expect(joined.length).toBeGreaterThan(5);
    expect(joined.filter(({ service, group }) => service !== group)).toEqual([]);
  });

  test('a batch is stored by both consumers, and a push on two channels arrives at the sandbox', async () => {
    await registerUsers(client, ['ada']);
    const answer = await client.submit({
      customUserId: 'ada',
      messages: [
        { type: 'user', id: 'u1', time: Date.now(), phoneNumber: '+15005550111' },
        { type: 'action', id: 'a1', time: Date.now(), customName: 'page_viewed' },
      ],
    });
    await eventually(async () => {
      const { complete, messages } = await client.ingestReport(answer.body.requestId);
      expect([complete, messages.map(({ outcome }) => outcome)]).toEqual([
        true,
        ['processed', 'processed'],
      ]);
    });

    for (const channel of ['EMAIL', 'SMS']) {
      const push = await client.push({
        recipients: ['ada'],
        channel,
        message: { body: 'One process.' },
      });
      expect([push.status, push.body.status]).toEqual([200, 'queued']);
      await eventually(async () => {
        const { counts } = await client.campaign(push.body.campaignId);
        expect(counts.successful).toBe(1);
      });
      const { body } = await client.sandbox<{ messages: { channel: string; body: string }[] }>(
        'GET',
        `/api/messages?campaignId=${push.body.campaignId}`,
      );
      expect(body.messages).toMatchObject([
        { channel, body: expect.stringContaining('One process.') },
      ]);
    }
  }, 60_000);

  test('one address serves the gateway, the API and client-api', async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${running.local.baseUrl}${path}`, { redirect: 'manual' })).status;

    expect(
      await Promise.all(['/nowhere', '/openapi.json', '/sdk/v1/config'].map(statusOf)),
    ).toEqual([404, 200, 403]);
  });

  test('health and metrics are those of all services', async () => {
    const get = async (path: string) => fetch(`${running.healthUrl}${path}`);
    const metrics = await (await get('/metrics')).text();

    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 200]);
    for (const series of [
      /^tidings_gateway_requests_total\{.*\} \d/m,
      /^tidings_ingest_records_total\{consumer="events"\} [1-9]/m,
      /^tidings_ingest_records_total\{consumer="users"\} [1-9]/m,
      /^tidings_sends_total\{channel="EMAIL",status="sent"\} [1-9]/m,
      /^tidings_sends_total\{channel="SMS",status="sent"\} [1-9]/m,
      /^tidings_inbox_deliveries_total\{channel="IN_APP"\} [1-9]/m,
      /^tidings_job_failures_total\{job_name="retention"\} 0/m,
    ])
      expect(metrics).toMatch(series);
  });

  test('all pools together have at most 20 connections, the lock has one, and the log in Postgres six', async () => {
    const db = connectDatabase({
      databaseUrl: running.stack.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
    });
    const { rows } = await db.sql.query<{ name: string; connections: number }>(
      `select application_name as name, count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name <> 'test' group by 1 order by 1`,
    );
    await db.close();

    expect(rows.map(({ name }) => name)).toEqual([
      'tidings',
      ...(has.kafka ? [] : ['tidings-bus']),
      'tidings-gateway',
      'tidings-keys',
      'tidings-lock',
      'tidings-workers',
    ]);
    expect(rows.reduce((sum, { connections }) => sum + connections, 0)).toBeLessThanOrEqual(
      has.kafka ? 21 : 27,
    );
  });

  // Last: it ends the process.
  test('SIGTERM during a campaign drains everything, and the process exits with 0', async () => {
    const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
    await registerUsers(client, users);
    await eventually(() => client.read('users/user-39'));
    const push = await client.push({
      recipients: users,
      channel: 'EMAIL',
      message: { body: 'One process.' },
    });
    expect(push.status).toBe(200);
    const before = running.lines.length;

    const code = await running.stop();

    const after = running.lines.slice(before);
    expect(code).toBe(0);
    expect(after.filter(({ level }) => level === 'error')).toEqual([]);
    expect(after.at(0)).toMatchObject({ service: 'tidings', msg: 'draining' });
    expect(after.at(-1)).toMatchObject({ service: 'tidings', msg: 'service stopped' });
    const db = connectDatabase({
      databaseUrl: running.stack.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
    });
    const { rows } = await db.sql.query(
      `select state from deliveries where campaign_id = $1 and state in ('sending', 'unknown')`,
      [push.body.campaignId],
    );
    await db.close();
    expect(rows).toEqual([]);
  }, 90_000);
}
