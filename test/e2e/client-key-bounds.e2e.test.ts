import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

/** A page's public Client key must not affect what the back end does with its Server key. */
type Running = Awaited<ReturnType<typeof shareTidings>>;

let tidings: Running;
let backEnd: Client;

beforeAll(async () => {
  tidings = await shareTidings('Client key');
  backEnd = createClient(tidings.local);
}, 120_000);

/** Sends with the Client key. */
const fromPage = (body: unknown) =>
  createClient({ ...tidings.local, serverKey: tidings.local.clientKey }).submit(body);

type Outcome = { readonly outcome: string; readonly reason?: string };

async function outcomesOf({
  status,
  body,
}: Awaited<ReturnType<Client['submit']>>): Promise<Outcome[]> {
  expect(status).toBe(200);
  const report = await eventually(async () => {
    const current = await backEnd.ingestReport(body.requestId);
    expect(current.complete).toBe(true);
    return current;
  });
  return report.messages.map(({ outcome, reason }) => ({
    outcome,
    ...(reason !== undefined && { reason }),
  }));
}

const counted = (outcomes: readonly Outcome[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(outcomes, ({ outcome, reason }) => [outcome, reason].join(' ').trim())].map(
      ([name, own]) => [name, own.length],
    ),
  );

test('a page that uses an order number as message id does not block the back end', async () => {
  const page = { type: 'action', id: 'order-4711', time: 1, customName: 'page_viewed' };
  const order = { type: 'businessEvent', id: 'order-4711', time: 2, customName: 'order_placed' };

  expect(await outcomesOf(await fromPage({ customUserId: 'a visitor', messages: [page] }))).toEqual(
    [{ outcome: 'held', reason: 'unregistered_user' }],
  );
  expect(await outcomesOf(await backEnd.submit({ messages: [order] }))).toEqual([
    { outcome: 'processed' },
  ]);
  expect(await outcomesOf(await backEnd.submit({ messages: [order] }))).toEqual([
    { outcome: 'duplicate', reason: 'duplicate_id' },
  ]);
});

test('a page changes neither the profile of the back end’s user nor where that user is reached', async () => {
  const page = {
    customUserId: 'victim',
    messages: [
      {
        type: 'user',
        id: 'page-user',
        time: Date.now() + 9 * 60_000,
        email: 'evil@people.example',
        firstName: 'Eve',
        customAttributes: { plan: 'enterprise', vip: true },
      },
    ],
  };
  const own = (id: string, firstName: string) => ({
    customUserId: 'victim',
    messages: [
      { type: 'user', id, time: Date.now(), firstName, customAttributes: { plan: 'free' } },
    ],
  });

  expect(await outcomesOf(await backEnd.submit(own('own-1', 'Ada')))).toEqual([
    { outcome: 'processed' },
  ]);
  expect(await outcomesOf(await fromPage(page))).toEqual([
    { outcome: 'processed', reason: 'client_key_field' },
  ]);
  expect(await outcomesOf(await backEnd.submit(own('own-2', 'Augusta')))).toEqual([
    { outcome: 'processed' },
  ]);

  const { profile } = await backEnd.read<{ profile: unknown }>('users/victim');
  expect(profile).toEqual({ firstName: 'Augusta', customAttributes: { plan: 'free', vip: true } });
});

test('two requests of a page with 1,000 new names each leave the back end its own new names', async () => {
  const batch = (round: number) => ({
    customUserId: 'a visitor',
    messages: Array.from({ length: 1_000 }, (_, index) => ({
      type: 'action',
      id: `page-${round}-${index}`,
      time: round * 1_000 + index,
      customName: `noise ${round} ${index}`,
    })),
  });

  const [first, second] = [
    await outcomesOf(await fromPage(batch(1))),
    await outcomesOf(await fromPage(batch(2))),
  ];
  const order = { type: 'businessEvent', id: 'order-1', time: 1, customName: 'order_placed' };
  const outcomes = await outcomesOf(await backEnd.submit({ messages: [order] }));

  expect(counted([...first, ...second])).toEqual({
    'held unregistered_user': 99,
    'dropped definition_limit': 1_901,
  });
  expect(outcomes).toEqual([{ outcome: 'processed' }]);
});
