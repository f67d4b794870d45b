import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeBlock, encodeBlock } from './blocks.ts';
import type { NewRecord } from './record.ts';

const bytes = fc.uint8Array({ maxLength: 3_000 }).map((array) => Buffer.from(array));
const record: fc.Arbitrary<NewRecord> = fc.record({
  key: fc.option(bytes),
  value: bytes,
  headers: fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 }).map((all) => ({ ...all })),
});

test('records come out of a block as they went in, with consecutive offsets', () => {
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 20 }),
      fc.bigInt({ min: 0n, max: 2n ** 60n }),
      (records, base) => {
        const last = base + BigInt(records.length) - 1n;

        const { body } = encodeBlock(records);
        const read = decodeBlock(body, { partition: 2, last, count: records.length });

        expect(read).toEqual(
          records.map((one, index) => ({ ...one, partition: 2, offset: base + BigInt(index) })),
        );
      },
    ),
  );
});

test('a block that repeats itself is stored smaller, and its size before is known', () => {
  const records = Array.from({ length: 50 }, (_, index) => ({
    key: null,
    headers: {},
    value: Buffer.from(
      JSON.stringify({ event: 'Order Completed', user: `user-${index}` }).repeat(5),
    ),
  }));

  const { body, bytes: before } = encodeBlock(records);

  expect(before).toBeGreaterThan(10_000);
  expect(body.length).toBeLessThan(before / 5);
});

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['of an unknown encoding', () => Buffer.of(9, 1, 2, 3)],
  ['cut off', (body: Buffer) => body.subarray(0, body.length - 1)],
  ['with another number of records', (body: Buffer) => Buffer.concat([body, body.subarray(1)])],
])('a block that is %s is an error, not other records', (_, damage) => {
  const { body } = encodeBlock([{ key: Buffer.from('k'), value: Buffer.from('v'), headers: {} }]);

  expect(() => decodeBlock(damage(body), { partition: 0, last: 0n, count: 1 })).toThrow();
});
