import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { automationRig, cart, mail } from './testing/rig.ts';

const HOUR_MS = 3_600_000;

// Shards hold people of all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());
const newRig = () => automationRig(db);

test('an event enters its person, who gets the message after the delay', async () => {
  const rig = await newRig();
  await rig.register();
  await rig.does('cartd');
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
