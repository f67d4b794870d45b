import { afterAll, describe, expect, test } from '@jest/globals';
import { startRun } from '@tidings/automations/start-run';
import { createOwnDatabase, configureChannel } from '@tidings/testing';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

// Shards hold people of all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());
const newRig = () => automationRig(db);

test('an event enters its person, who gets the message after the delay', async () => {
  const rig = await newRig();
  await rig.register();
  await rig.define('cartd');
  await rig.activate(cart([{ id: 'hour', delay: '1h' }, mail('mail1')]));
  await rig.does('cartd', { attributes: { price: 42 } });

  await rig.step();
  const waiting = await rig.runs();
  await rig.pass(HOUR_MS);
  await rig.step();

  expect(waiting).toMatchObject([{ status: 'active', node: 'hour' }]);
  expect(rig.failures).toEqual([]);
  expect(await rig.traces()).toEqual([['entered', 'hour waiting', 'hour passed', 'mail1 sent']]);
  expect(await rig.runs()).toMatchObject([{ status: 'completed' }]);
  expect(await rig.deliveries()).toMatchObject([{ custom_user_id: 'ada' }]);
  expect(await rig.counts()).toEqual({
    entered: 1,
    completed: 1,
    'hour entered': 1,
    'hour passed': 1,
    'mail1 entered': 1,
    'mail1 sent': 1,
  });
});

test('a condition decides the branch by what is true when the run comes to it', async () => {
  const rig = await newRig();
  await rig.register('ada', { customAttributes: { plan: 'pro' } });
  await rig.register('bob', { customAttributes: { plan: 'free' } });
  await rig.define('cartd');
  await rig.activate(
    cart([
      { id: 'hour', delay: '1h' },
      {
        id: 'pro',
        if: { attribute: 'plan', is: 'pro' },
        ['then' as const]: [mail('thanks')],
        else: [mail('offer')],
      },
      mail('last'),
    ]),
  );
  await rig.does('cartd', {}, 'ada');
  await rig.does('cartd', {}, 'bob');
  await rig.step();
  await rig.register('bob', { customAttributes: { plan: 'pro' } });
  await rig.pass(HOUR_MS);
  await rig.step();

  expect(await rig.traces()).toEqual(
    Array.from({ length: 2 }, () => [
      'entered',
      'hour waiting',
      'hour passed',
      'pro passed then',
      'thanks sent',
      'last sent',
    ]),
  );
});

test('a split gives the same person the same branch, and people by their shares', async () => {
  const rig = await newRig();
  const people = Array.from({ length: 60 }, (_, index) => `p${index}`);
  for (const person of people) await rig.register(person);
  await rig.define('cartd');
  await rig.activate(
    cart([
      {
        id: 'half',
        split: [
          { weight: 1, nodes: [mail('a')] },
          { weight: 1, nodes: [] },
        ],
      },
    ]),
  );
  for (let round = 0; round < 2; round += 1) {
    for (const person of people) await rig.does('cartd', {}, person);
    await rig.step();
  }

  const sent = await rig.deliveries();
  const each = Map.groupBy(sent, ({ custom_user_id: id }) => id);
  expect([...each.values()].every((own) => own.length === 2)).toBe(true);
  expect(each.size).toBeGreaterThan(15);
  expect(each.size).toBeLessThan(45);
});

test('three events of one person at once are three messages, of three keys', async () => {
  const rig = await newRig();
  await rig.register();
  await rig.define('cartd');
  await rig.activate(cart([mail('mail1')], { entry: { again: 'always', key: ['cart', 'id'] } }));
  for (const id of ['a', 'b', 'c', 'a']) await rig.does('cartd', { attributes: { cart: { id } } });
  await rig.does('cartd', { attributes: { cart: 'none' } });

  await rig.step();

  // Of two with one key in a batch, the first enters.
  expect(await rig.triggers()).toEqual(['entered', 'entered', 'entered', 're_entry']);
  expect((await rig.runs()).map((run) => run.entry_key).toSorted()).toEqual(['a', 'b', 'c']);
  expect(await rig.deliveries()).toHaveLength(3);
});

test('`try` sends by the first channel that reaches the person, and goes on where none does', async () => {
  const rig = await newRig();
  await configureChannel(db, rig.applicationId, 'SMS');
  await rig.register('ada', { email: undefined, phoneNumber: '+436641234567' });
  await rig.register('bob');
  await rig.register('eve', { email: undefined });
  await rig.define('cartd');
  await rig.activate(
    cart([
      {
        id: 'one',
        send: {
          try: [
            { channel: 'EMAIL', message: { title: 'Hello', body: 'Text' } },
            { channel: 'SMS', message: { body: 'Text' } },
          ],
        },
      },
    ]),
  );
  for (const person of ['ada', 'bob', 'eve']) await rig.does('cartd', {}, person);
  await rig.step();

  const { rows } = await db.sql.query<{ said: string }>(
    `select d.custom_user_id || ' ' || d.channel as said from deliveries d
     where d.application_id = $1 order by 1`,
    [rig.applicationId],
  );
  expect(rows.map(({ said }) => said)).toEqual(['ada SMS', 'bob EMAIL']);
  expect(await rig.counts()).toMatchObject({ 'one sent': 2, 'one skipped unreachable': 1 });
});

test('a run of the API that the filter refuses ends, and says so', async () => {
  const rig = await newRig();
  await rig.register('ada', { customAttributes: { opted: false } });
  await rig.activate(
    cart([mail('mail1')], { trigger: { api: true }, filter: { attribute: 'opted', is: true } }),
  );
  const started = await startRun(db, {
    applicationId: rig.applicationId,
    slug: 'cart',
    customUserId: 'ada',
  });
  await rig.step();

  expect(started).toMatchObject({ runId: expect.any(String) });
  expect(await rig.traces()).toEqual([['exited filter']]);
  expect(await rig.counts()).toMatchObject({ entered: 1, exited: 1 });
});

describe('a filter', () => {
  test('is asked at the entry, and again before each message', async () => {
    const rig = await newRig();
    const filter = { attribute: 'opted', is: true } as const;
    for (const [person, opted] of [
      ['ada', true],
      ['bob', false],
      ['eve', true],
    ] as const)
      await rig.register(person, { customAttributes: { opted } });
    await rig.define('cartd');
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, mail('mail1')], { filter }));
    for (const person of ['ada', 'bob', 'eve']) await rig.does('cartd', {}, person);
    await rig.step();
    await rig.register('eve', { customAttributes: { opted: false } });
    await rig.pass(HOUR_MS);
    await rig.step();

    expect(await rig.triggers()).toEqual(['entered', 'entered', 'filter']);
    expect(await rig.counts()).toMatchObject({
      entered: 2,
      completed: 2,
      'mail1 sent': 1,
      'mail1 skipped filter': 1,
    });
    expect(await rig.runs()).toHaveLength(2);
  });
});

test('messages of one node by several channels never share a campaign', async () => {
  const rig = await newRig();
  await configureChannel(db, rig.applicationId, 'SMS');
  const people = Array.from({ length: 24 }, (_, index) => `p${index}`);
  for (const [index, person] of people.entries())
    await rig.register(
      person,
      index % 2 === 0 ? {} : { email: undefined, phoneNumber: '+436641234567' },
    );
  await rig.define('cartd');
  await rig.activate(
    cart([
      {
        id: 'one',
        send: {
          try: [
            { channel: 'EMAIL', message: { title: 'Hello', body: 'Text' } },
            { channel: 'SMS', message: { body: 'Text' } },
          ],
        },
      },
    ]),
  );
  for (const person of people) await rig.does('cartd', {}, person);
  await rig.step();

  const { rows } = await db.sql.query<{ channel: string; n: number }>(
    `select d.channel, count(*)::int as n from deliveries d join campaigns c on c.id = d.campaign_id
     where d.application_id = $1 and d.channel = c.channel group by 1 order by 1`,
    [rig.applicationId],
  );
  expect(rows).toEqual([
    { channel: 'EMAIL', n: 12 },
    { channel: 'SMS', n: 12 },
  ]);
});
