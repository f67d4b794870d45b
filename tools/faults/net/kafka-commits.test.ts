import { expect, test } from '@jest/globals';
import { watchCommits } from './kafka-commits.ts';

const OFFSET_COMMIT = 8;
const HEARTBEAT = 12;

function request(
  apiKey: number,
  { correlationId, group }: { readonly correlationId: number; readonly group: string },
): Buffer {
  const client = 'a client';
  const frame = Buffer.alloc(12 + 2 + client.length + 2 + group.length);
  frame.writeInt32BE(frame.length - 4, 0);
  frame.writeInt16BE(apiKey, 4);
  frame.writeInt32BE(correlationId, 8);
  frame.writeInt16BE(client.length, 12);
  frame.write(client, 14);
  frame.writeInt16BE(group.length, 14 + client.length);
  frame.write(group, 16 + client.length);
  return frame;
}

function answer(correlationId: number): Buffer {
  const frame = Buffer.alloc(10);
  frame.writeInt32BE(6, 0);
  frame.writeInt32BE(correlationId, 4);
  return frame;
}

test('reports only answered commits, by group', () => {
  const told: string[] = [];
  const filter = watchCommits((group) => told.push(group) < 2);

  filter.request(
    Buffer.concat([
      request(HEARTBEAT, { correlationId: 1, group: 'a' }),
      request(OFFSET_COMMIT, { correlationId: 2, group: 'worker-email' }),
      request(OFFSET_COMMIT, { correlationId: 3, group: 'worker-sms' }),
    ]),
  );

  expect(filter.answer(answer(1))).not.toBeNull();
  expect(told).toEqual([]);
  expect(filter.answer(answer(2))).not.toBeNull();
  expect(filter.answer(answer(3))).toBeNull();
  expect(told).toEqual(['worker-email', 'worker-sms']);
});
