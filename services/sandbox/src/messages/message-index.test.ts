import { createLogger } from '@tidings/platform';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Journal, type LinePlace } from './journal.ts';
import { MessageIndex } from './message-index.ts';

/** The index never reads the position, but only a journal can create one. */
async function somePlace(): Promise<LinePlace> {
  const dir = await mkdtemp(join(tmpdir(), 'tidings-index-'));
  const journal = await Journal.open({
    dir,
    linesMax: 10,
    logger: createLogger('test', 'silent'),
    onReplayed: () => true,
    onDropped: () => {},
  });
  const place = await journal.append(Buffer.from('{}'));
  await journal.close();
  await rm(dir, { recursive: true });
  return place;
}

async function filledIndex(): Promise<MessageIndex> {
  const place = await somePlace();
  const index = new MessageIndex();
  const add = (
    channel: 'EMAIL' | 'SMS',
    to: string,
    campaignId: string | null,
    deliveryId: string | null,
  ) => index.add({ channel, to, campaignId, deliveryId, place });
  add('EMAIL', 'Ann@example.com', 'c1', 'd1');
  add('EMAIL', 'bob@example.com', 'c1', 'd2');
  add('EMAIL', 'ann@example.com', 'c1', 'd1');
  add('SMS', '+491701234567', 'c2', 'd3');
  add('EMAIL', 'joann@example.com', null, null);
  add('EMAIL', 'joann@example.com', null, null);
  return index;
}

test.each([
  { filter: {}, expected: { total: 6, unique: 5, repeated: 1 } },
  { filter: { channel: 'EMAIL' as const }, expected: { total: 5, unique: 4, repeated: 1 } },
  { filter: { channel: 'SMS' as const }, expected: { total: 1, unique: 1, repeated: 0 } },
  { filter: { campaignId: 'c1' }, expected: { total: 3, unique: 2, repeated: 1 } },
  {
    filter: { campaignId: 'c2', channel: 'EMAIL' as const },
    expected: { total: 0, unique: 0, repeated: 0 },
  },
])('counts by delivery for $filter', async ({ filter, expected }) => {
  const index = await filledIndex();

  expect(index.counts(filter)).toEqual(expected);
});

test('dropped messages are not counted', async () => {
  const index = await filledIndex();

  index.dropOldest(3);

  expect(index.counts({ campaignId: 'c1' })).toEqual({ total: 0, unique: 0, repeated: 0 });
  expect(index.counts({})).toEqual({ total: 3, unique: 3, repeated: 0 });
});

test.each([
  { filter: {}, limit: 2, count: 6, found: ['joann@example.com', 'joann@example.com'] },
  {
    filter: { to: 'ANN@example.com' },
    limit: 50,
    count: 2,
    found: ['ann@example.com', 'Ann@example.com'],
  },
  { filter: { to: 'ann@example.com' }, limit: 1, count: 2, found: ['ann@example.com'] },
  { filter: { campaignId: 'c2' }, limit: 50, count: 1, found: ['+491701234567'] },
])('finds the newest $limit of $count for $filter', async ({ filter, limit, count, found }) => {
  const index = await filledIndex();

  const answer = index.find(filter, limit);

  expect(answer.count).toBe(count);
  expect(answer.entries.map(({ to }) => to)).toEqual(found);
});
