import { expect, test } from '@jest/globals';
import { createEventParser } from './server-events.ts';

const STREAM =
  ': hello\n\nevent: message\nid: 1\ndata: {"a":1}\n\ndata: one\ndata:two\n\nretry: 10\n\ndata:\r\n\r\nevent: x\rdata: y\r\r';
const DATA = ['{"a":1}', 'one\ntwo', '', 'y'];

test.each([1, 2, 3, 7, 1_000])('a stream in pieces of %i letters gives the same data', (size) => {
  const seen: string[] = [];
  const parse = createEventParser((data) => seen.push(data));

  for (let at = 0; at < STREAM.length; at += size) parse(STREAM.slice(at, at + size));
  // The last line end could have been half of one.
  parse('\n');

  expect(seen).toEqual(DATA);
});

test('an event that is cut off is none', () => {
  const seen: string[] = [];
  const parse = createEventParser((data) => seen.push(data));

  parse('data: half\n');

  expect(seen).toEqual([]);
});
