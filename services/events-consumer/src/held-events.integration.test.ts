import { afterAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, userMessage } from '@tidings/testing';
import { eventTenant } from './testing/event-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => eventTenant(db);

describe('an event of an unregistered user', () => {
  test('is held, counts as complete, and is processed when the registration arrives', async () => {
    const { record, applyEvents, register, report, outcomes, events } = await newTenant();
    const sent = record({ messages: [actionMessage({ id: 'm1' })] });

    await applyEvents(sent);
    expect(await outcomes(sent)).toEqual(['held unregistered_user']);
    expect(await report(sent)).toMatchObject({ complete: true });
    expect(await events()).toBeNull();
    await register();

    expect(await outcomes(sent)).toEqual(['processed']);
    expect((await events())?.map(({ id }) => id)).toEqual(['m1']);
  });

  test('still uses up its id', async () => {
    const { record, applyEvents, outcomes } = await newTenant();
    const again = record({ messages: [actionMessage({ id: 'm1' })] });

    await applyEvents(record({ messages: [actionMessage({ id: 'm1' })] }));
    await applyEvents(again);

    expect(await outcomes(again)).toEqual(['duplicate duplicate_id']);
  });

  test.each(['users first', 'events first'])(
    'that its own batch registers is never shown as held (%s)',
    async (order) => {
      const { record, applyEvents, applyUsers, report, outcomes, events } = await newTenant();
      const sent = record({
        messages: [
          actionMessage({ id: 'm1' }),
          userMessage(),
          actionMessage({ id: 'm2', customName: '' }),
        ],
      });
      const [first, second] =
        order === 'users first' ? [applyUsers, applyEvents] : [applyEvents, applyUsers];

      expect(await report(sent)).toBeNull();
      await first(sent);
      expect(await report(sent)).toMatchObject({ complete: false });
      expect(await outcomes(sent)).toEqual(
        order === 'users first'
          ? ['pending', 'processed', 'pending']
          : ['pending', 'pending', 'dropped empty_name'],
      );
      await second(sent);

      expect(await outcomes(sent)).toEqual(['processed', 'processed', 'dropped empty_name']);
      expect(await report(sent)).toMatchObject({ complete: true });
      expect((await events())?.map(({ id }) => id)).toEqual(['m1']);
    },
  );

  test('whose own batch fails to register the user is held once that is known', async () => {
    const { record, applyEvents, applyUsers, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const sent = record({
      customUserId: null,
      serviceUserId,
      messages: [actionMessage(), userMessage()],
    });

    await applyEvents(sent);
    expect(await outcomes(sent)).toEqual(['pending', 'pending']);
    await applyUsers(sent);

    expect(await outcomes(sent)).toEqual(['held unregistered_user', 'processed']);
  });
});
