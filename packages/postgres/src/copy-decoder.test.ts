import { describe, expect, test } from '@jest/globals';
import { createCopyDecoder } from './copy-decoder.ts';

const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

const rowOf = (...fields: readonly (string | null)[]): Buffer =>
  Buffer.concat([
    Buffer.from([0, fields.length]),
    ...fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field));
      return field === null ? [length] : [length, Buffer.from(field)];
    }),
  ]);

function decode(chunks: readonly Buffer[], fields = 2): (string | null)[][] {
  const rows: (string | null)[][] = [];
  const decoder = createCopyDecoder(fields, ({ bytes, offsets, lengths }) => {
    rows.push(
      Array.from(offsets, (offset, field) => {
        const length = lengths[field] ?? 0;
        return length < 0 ? null : bytes.toString('utf8', offset, offset + length);
      }),
    );
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return rows;
}

describe('a binary COPY', () => {
  const whole = Buffer.concat([
    HEADER,
    rowOf('one', null),
    rowOf('', 'zwei'),
    rowOf(null, '三'),
    TRAILER,
  ]);
  const rows = [
    ['one', null],
    ['', 'zwei'],
    [null, '三'],
  ];

  test.each([1, 2, 3, 5, 7, 16, 1_000])('is read in chunks of %i bytes', (size) => {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );

    expect(decode(chunks)).toEqual(rows);
  });

  test('may have no rows', () => {
    expect(decode([HEADER, TRAILER])).toEqual([]);
  });

  test('may have a longer header', () => {
    const longer = Buffer.concat([HEADER, Buffer.from('abc')]);
    longer.writeInt32BE(3, HEADER.length - 4);

    expect(decode([longer, rowOf('a', 'b'), TRAILER])).toEqual([['a', 'b']]);
  });

  test.each([
    ['text', [Buffer.from('one\ttwo\nthree\tfour\n')], /signature/],
    ['rows of another table', [HEADER, rowOf('a')], /1 fields in place of 2/],
    ['nothing', [], /ended within/],
    ['no end', [HEADER, rowOf('a', 'b')], /ended within/],
    ['half a row', [HEADER, rowOf('a', 'b').subarray(0, 9)], /ended within/],
  ])('is not %s', (_what, chunks, fault) => {
    expect(() => decode(chunks)).toThrow(fault);
  });
});
