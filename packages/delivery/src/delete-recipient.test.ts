import { expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import { deleteRecipient } from './delete-recipient.ts';

test('an address of blanks, which every message would contain, deletes no message', async () => {
  const asked: unknown[][] = [];
  const sql = {
    query: (statement: unknown, values: unknown[]) => {
      if (String(statement).includes('channel_pauses')) asked.push(values);
      return Promise.resolve({ rows: [], rowCount: 0 });
    },
  } as unknown as Sql;

  await deleteRecipient(sql, {
    applicationId: 'a1',
    customUserId: 'ada',
    addresses: ['', '  ', ' Ada@shop.example'],
    userIds: ['u1'],
  });

  expect(asked).toEqual([
    ['a1', ['  ', ' Ada@shop.example', 'Ada@shop.example', 'ada@shop.example']],
  ]);
});
