import { expect, test } from '@jest/globals';
import { systemClock } from '@tidings/platform';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { createEventStream } from './event-stream.ts';

const KIB = 1024;
const LARGE = 'x'.repeat(64 * KIB);

test('whoever reads too slowly holds no more than a bound, is told to catch up, and is left alone', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  let hasLeft = false;
  const stream = createEventStream(res, systemClock, () => void (hasLeft = true));
  stream.begin();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  let unreadMax = 0;

  for (let told = 0; told < 2_000 && !hasLeft; told += 1) {
    stream.tell({ event: 'ingest', data: { topic: 'ingest', data: LARGE } });
    unreadMax = Math.max(unreadMax, res.writableLength);
    await turn();
  }
  const unread = res.writableLength;
  stream.tell({ event: 'ingest', data: { topic: 'ingest', data: 'too late' } });

  expect(hasLeft).toBe(true);
  expect(res.writableLength).toBe(unread);
  expect(unreadMax).toBeLessThan(1.25 * KIB * KIB);
  const events = (await text(response)).split('\n\n');
  expect(events.slice(-2)).toEqual(['event: behind\ndata: {}', '']);
  expect(events.join()).not.toContain('too late');
  await new Promise((resolve) => server.close(resolve));
});
