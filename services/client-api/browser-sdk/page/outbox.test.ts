import { expect, test } from '@jest/globals';
import { createOutbox, type Item } from './outbox.ts';
import { openStorage } from './storage.ts';

const message = (id: string, time: number): Item => ({
  person: { serviceUserId: 's' },
  message: { type: 'action', id, time, customName: 'x' },
});

test('items are kept oldest first, with the same ids, until they are removed', () => {
  const storage = openStorage('a:', undefined);
  createOutbox(storage).add(2_000, message('second', 2_000));
  createOutbox(storage).add(999, message('first', 999));

  const pending = createOutbox(storage).pending();

  expect(pending.map(({ item }) => item)).toEqual([
    message('first', 999),
    message('second', 2_000),
  ]);
  createOutbox(storage).remove([pending[0]?.key ?? '']);
  expect(
    createOutbox(storage)
      .pending()
      .map(({ item }) => item),
  ).toEqual([message('second', 2_000)]);
});

test('beyond the limit the oldest items are dropped', () => {
  const outbox = createOutbox(openStorage('a:', undefined), 3);

  for (let time = 1; time <= 5; time++) outbox.add(time, message(`m${time}`, time));

  expect(outbox.pending().map(({ item }) => 'message' in item && item.message.id)).toEqual([
    'm3',
    'm4',
    'm5',
  ]);
});

test('corrupted items are dropped', () => {
  const storage = openStorage('a:', undefined);
  const outbox = createOutbox(storage);
  outbox.add(1, message('good', 1));
  for (const [index, text] of ['{', 'null', '7', '[]', '{}'].entries())
    storage.set(`out:bad${index}`, text);

  expect(outbox.pending()).toHaveLength(1);
  expect(storage.names().filter((name) => name.startsWith('out:'))).toHaveLength(1);
});
