import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, userMessage } from '@tidings/testing';
import { LATER_MS, deletableTenant } from './testing/deletable-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => deletableTenant(db);

describe('a record accepted before its user was deleted', () => {
  test.each<[string, (serviceUserId: string) => Partial<IngestRecord>]>([
    ['by customUserId', () => ({})],
    ['by serviceUserId', (serviceUserId) => ({ customUserId: null, serviceUserId })],
    [
      'by a serviceUserId under another customUserId',
      (serviceUserId) => ({ customUserId: 'eve', serviceUserId }),
    ],
  ])('is dropped as a whole (%s), and recreates no user', async (_, ids) => {
    const { record, apply, remove, remains, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await apply(record({ serviceUserId }));
    const late = record({
      ...ids(serviceUserId),
      messages: [userMessage(), actionMessage(), actionMessage({ type: 'businessEvent' })],
    });

    await remove();
    await apply(late);

    expect(await outcomes(late)).toEqual(
      Array.from({ length: 3 }, () => 'dropped unregistered_user'),
    );
    expect(await remains()).toBe(0);
  });

  test('uses up no id: the same message in a later record is processed', async () => {
    const { record, apply, remove, outcomes } = await newTenant();
    const messages = [userMessage({ id: 'm1' })];
    await apply(record());
    const early = record({ messages });
    const later = record({ messages, receivedAt: Date.now() + LATER_MS });

    await remove();
    await apply(early);
    await apply(later);

    expect(await outcomes(later)).toEqual(['processed']);
  });

  test('is dropped also when its user never existed', async () => {
    const { record, apply, remove, remains, outcomes } = await newTenant();
    const onItsWay = record();

    expect(await remove()).toBe(false);
    await apply(onItsWay);

    expect(await outcomes(onItsWay)).toEqual([
      'dropped unregistered_user',
      'dropped unregistered_user',
    ]);
    expect(await remains()).toBe(0);
  });
});

test('a record accepted later creates a new user, without anything of the old one', async () => {
  const { record, apply, remove, read, eventIds, outcomes } = await newTenant();
  const serviceUserId = systemIds.uuid();
  const old = record({ serviceUserId });
  await apply(old);
  const before = await read();
  const event = actionMessage();

  await remove();
  const later = record({
    serviceUserId,
    receivedAt: Date.now() + LATER_MS,
    messages: [userMessage({ city: 'London' }), event],
  });
  await apply(later);

  expect(await outcomes(later)).toEqual(['processed', 'processed']);
  expect(await read()).toMatchObject({
    serviceUserIds: [serviceUserId],
    profile: { city: 'London' },
  });
  expect((await read())?.profile).not.toHaveProperty('email');
  expect((await read())?.userId).not.toBe(before?.userId);
  expect(await eventIds()).toEqual([event.id]);
  expect(await outcomes(old)).toEqual(['processed', 'processed']);
});
