import { expect, test } from '@jest/globals';
import type { AcceptedCampaign, NewCampaign } from '@tidings/delivery/accept';
import { eventually } from '@tidings/testing';
import { createCampaignBatcher, type CampaignBatcherOptions } from './campaign-batcher.ts';

const campaign = (campaignId: string): NewCampaign => ({
  campaignId,
  applicationId: 'a',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  channel: 'SMS',
  purpose: 'transactional',
  source: 'api',
  message: { body: 'b' },
  recipients: ['u1'],
  createdBy: 'test',
  requestId: 'r',
  createdAt: 0,
  expiresAt: 1,
});
const ACCEPTED: AcceptedCampaign = { outcome: 'accepted', isUntested: false };

/** A store whose statements end when a test says so. */
function heldStore() {
  const statements: {
    readonly ids: readonly string[];
    readonly end: () => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const store: CampaignBatcherOptions['store'] = (campaigns) =>
    new Promise((resolve, reject) => {
      statements.push({
        ids: campaigns.map(({ campaignId }) => campaignId),
        end: () => resolve(campaigns.map(() => ACCEPTED)),
        fail: reject,
      });
    });
  return { statements, store };
}

/** Lets scheduled work start. */
const turn = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('campaigns of one turn share a statement, and later ones wait for no more than two', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({ store, deadlineMs: 5_000 });
  const accept = (id: string) => batcher.accept(campaign(id), 100);

  const first = [accept('1'), accept('2')];
  await turn();
  const second = [accept('3')];
  await turn();
  const third = [accept('4'), accept('5')];
  await turn();

  expect(statements.map(({ ids }) => ids)).toEqual([['1', '2'], ['3']]);
  statements[1]?.end();
  expect(await Promise.all(second)).toEqual([ACCEPTED]);
  await turn();
  expect(statements.map(({ ids }) => ids)).toEqual([['1', '2'], ['3'], ['4', '5']]);
  for (const { end } of statements) end();
  expect(await Promise.all([...first, ...third])).toEqual([ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED]);
});

test('a statement has its bounds, of campaigns and of bytes', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({
    store,
    deadlineMs: 5_000,
    campaignsMax: 3,
    bytesMax: 1_000,
  });

  const all = [400, 400, 400, 10, 10, 10, 10].map((bytes, index) =>
    batcher.accept(campaign(String(index)), bytes),
  );
  await turn();
  statements[0]?.end();
  statements[1]?.end();
  await turn();
  for (const { end } of statements) end();
  await Promise.all(all);

  expect(statements.map(({ ids }) => ids)).toEqual([
    ['0', '1'],
    ['2', '3', '4'],
    ['5', '6'],
  ]);
});

test('a large campaign goes alone, and no small one waits for it', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({ store, deadlineMs: 5_000 });

  const large = [1, 2, 3].map((id) => batcher.accept(campaign(`large ${id}`), 8 * 1024 * 1024));
  await turn();
  const small = batcher.accept(campaign('small'), 100);
  await turn();

  expect(statements.map(({ ids }) => ids)).toEqual([['large 1'], ['large 2'], ['small']]);
  statements[2]?.end();
  expect(await small).toEqual(ACCEPTED);
  for (let ended = 0; ended < 4; ended += 1) {
    await turn();
    for (const { end } of statements) end();
  }
  await Promise.all(large);
});

test('one that cannot be stored fails alone', async () => {
  const calls: number[] = [];
  const batcher = createCampaignBatcher({
    deadlineMs: 5_000,
    store: async (campaigns) => {
      calls.push(campaigns.length);
      if (campaigns.some(({ campaignId }) => campaignId.startsWith('bad')))
        throw Object.assign(new Error('bad'), { code: '22P05' });
      return campaigns.map(() => ACCEPTED);
    },
  });

  const results = await Promise.allSettled(
    ['1', '2', 'bad 3', '4', '5', 'bad 6', '7'].map((id) => batcher.accept(campaign(id), 100)),
  );

  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(calls[0]).toBe(7);
});

test('while the database is unavailable all fail at once, and no halves are tried', async () => {
  let calls = 0;
  const batcher = createCampaignBatcher({
    deadlineMs: 5_000,
    store: () => {
      calls += 1;
      return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    },
  });

  const results = await Promise.allSettled(
    ['1', '2', '3'].map((id) => batcher.accept(campaign(id), 100)),
  );

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(calls).toBe(1);
});

test('no caller waits beyond the deadline, and a rejected campaign is not stored later', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({ store, deadlineMs: 300, campaignsMax: 1 });

  const results = await Promise.allSettled(
    ['1', '2', '3', '4'].map((id) => batcher.accept(campaign(id), 100)),
  );
  for (const { end } of statements) end();
  await batcher.drain();

  expect(
    results.map((result) =>
      result.status === 'rejected' ? (result.reason as { readonly code: string }).code : 'stored',
    ),
  ).toEqual(Array(4).fill('unavailable'));
  expect(statements.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
});

test('campaigns above the queue limit are rejected at once', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({ store, deadlineMs: 5_000, waitingMax: 2 });
  const begun = batcher.accept(campaign('0'), 100);
  await turn();

  const results = ['1', '2', '3'].map((id) => batcher.accept(campaign(id), 100));

  await expect(results[2]).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: expect.any(Number),
  });
  await eventually(() => {
    for (const { end } of statements) end();
    expect(statements.flatMap(({ ids }) => ids)).toEqual(['0', '1', '2']);
  });
  await Promise.all([begun, results[0], results[1]]);
});

test('a result is that of its own campaign', async () => {
  const batcher = createCampaignBatcher({
    deadlineMs: 5_000,
    store: async (campaigns) =>
      campaigns.map(({ campaignId }) => ({
        outcome: 'replayed',
        answer: campaignId,
        isUntested: false,
      })),
  });

  const ids = Array.from({ length: 300 }, (_, index) => `c${index}`);
  const results = await Promise.all(ids.map((id) => batcher.accept(campaign(id), 100)));

  expect(results.map((result) => (result.outcome === 'replayed' ? result.answer : ''))).toEqual(
    ids,
  );
});

test('drain waits for what waits and what is under way', async () => {
  const { statements, store } = heldStore();
  const batcher = createCampaignBatcher({ store, deadlineMs: 5_000 });
  const accepted = batcher.accept(campaign('1'), 100);
  let isDrained = false;
  const drained = batcher.drain().then(() => {
    isDrained = true;
  });

  await turn();
  expect(isDrained).toBe(false);
  statements[0]?.end();
  await drained;

  expect(await accepted).toEqual(ACCEPTED);
});
