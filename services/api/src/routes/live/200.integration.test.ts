import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { controlCampaign } from '@tidings/delivery/control';
import { createSendingCampaign, eventually, newCampaign } from '@tidings/testing';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { insertRequest } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;

type LiveEvent = {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly topic: string; readonly data: Record<string, unknown> };
};

/**
 * The content of a stream so far. Uses its own connection: fetch reconnects aborted connections
 * without a request, and a closing server waits for those.
 */
async function open(topics: string, headers = api.asServer) {
  const request = get(`${api.url}/api/v1/live?topics=${encodeURIComponent(topics)}`, {
    headers,
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: LiveEvent[] = [];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = `${text}${chunk}`.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields['data'] !== undefined)
        events.push({
          id: String(fields['id']),
          event: String(fields['event']),
          data: JSON.parse(fields['data']) as LiveEvent['data'],
        });
    }
  });
  // Aborted.
  response.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void response.once('close', resolve));
  return {
    status: response.statusCode,
    headers: response.headers,
    events,
    async close() {
      request.destroy();
      await closed;
    },
  };
}

test('a campaign is sent completely, then its changes', async () => {
  const { campaignId } = await createSendingCampaign(db, {
    applicationId: tenant.applicationId,
    count: 2,
  });
  const stream = await open(`Campaign:${campaignId.toUpperCase()}`);
  await eventually(() => expect(stream.events).toHaveLength(1));

  await controlCampaign(db, {
    applicationId: tenant.applicationId,
    campaignId,
    action: 'pause',
    actor: 'test',
  });
  await eventually(() => expect(stream.events).toHaveLength(2));
  await stream.close();

  expect(stream.headers['content-type']).toBe('text/event-stream');
  expect(stream.headers['x-accel-buffering']).toBe('no');
  expect(stream.events.map(({ event, data }) => [event, data.topic, data.data['status']])).toEqual([
    ['campaign', `campaign:${campaignId}`, 'sending'],
    ['campaign', `campaign:${campaignId}`, 'paused'],
  ]);
  expect(new Set(stream.events.map(({ id }) => id)).size).toBe(2);
});

test('new entries of the ingest log are sent, and old ones again when their outcome changes', async () => {
  const before = await insertRequest(db, tenant.applicationId, {
    receipts: [{ id: 'old', outcome: 'pending' }],
  });
  const stream = await open('ingest');
  await eventually(() => expect(stream.events).toHaveLength(1));

  await insertRequest(db, tenant.applicationId, {
    receipts: [{ id: 'new', outcome: 'dropped', reason: 'empty_name' }],
  });
  await eventually(() => expect(stream.events).toHaveLength(2));
  await db.sql.query(`update receipts set outcome = 'processed' where request_id = $1`, [before]);
  await eventually(() => expect(stream.events).toHaveLength(3));
  await stream.close();

  const told = stream.events.map(({ data }) =>
    (data.data['entries'] as { id?: string; outcome: string }[]).map(({ id, outcome }) => [
      id,
      outcome,
    ]),
  );
  expect(told).toEqual([[['old', 'pending']], [['new', 'dropped']], [['old', 'processed']]]);
});

test('the overview is sent to an administrator', async () => {
  const stream = await open('overview', api.asAdmin);
  await eventually(() => expect(stream.events).toHaveLength(1));
  await stream.close();

  expect(stream.events[0]?.data.data).toHaveProperty('firstSteps');
});

test('400 for unknown topics, 403 for the overview with a Server key, 404 for campaigns of others', async () => {
  const statusOf = async (topics: string) =>
    (await api.request('GET', `live?topics=${topics}`, { headers: api.asServer })).status;
  const theirs = newCampaign({ applicationId: api.other.applicationId });
  await acceptCampaign(db, theirs);

  expect([
    await statusOf(''),
    await statusOf('nothing'),
    await statusOf('ingest,campaign:x'),
    await statusOf('campaign'),
  ]).toEqual([400, 400, 400, 400]);
  expect(await statusOf('ingest,overview')).toBe(403);
  expect(await statusOf(`campaign:${theirs.campaignId}`)).toBe(404);
});

test('429 beyond the stream limit of a caller, until one is closed', async () => {
  const streams: Awaited<ReturnType<typeof open>>[] = [];
  for (let opened = 0; opened < 20; opened += 1) streams.push(await open('ingest'));

  const refused = await api.request('GET', 'live?topics=ingest', {
    headers: api.asServer,
  });
  await streams.pop()?.close();

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  await eventually(async () => {
    const again = await open('ingest');
    await again.close();
    expect(again.status).toBe(200);
  });
  await Promise.all(streams.map((stream) => stream.close()));
});
