import { expect, test } from '@jest/globals';
import { createEventParser, type ServerEvent } from './server-events.ts';

const STREAM = ': hello\n\nevent: message\nid: 1\ndata: {"a":1}\n\ndata: one\ndata:two\n\nretry: 10\n\ndata:\r\n\r\nevent: x\rdata: y\r\r';
const EVENTS: readonly ServerEvent[] = [
  { event: 'message', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
  { event: 'message', data: '' },
  { event: 'x', data: 'y' },
];

test.each([1, 2, 3, 7, 1_000])('a stream in pieces of %i letters gives the same events', (size) => {
  const seen: ServerEvent[] = [];
  const parse = createEventParser((event) => seen.push(event));

  for (let at = 0; at < STREAM.length; at += size) parse(STREAM.slice(at, at + size));
  // The last line end could have been half of one.
  parse('\n');

  expect(seen).toEqual(EVENTS);
});

test('an event that is cut off is none', () => {
  const seen: ServerEvent[] = [];
  const parse = createEventParser((event) => seen.push(event));

  parse('data: half\n');

  expect(seen).toEqual([]);
});
