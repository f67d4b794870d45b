import { expect, test } from '@jest/globals';
import { createEventParser } from './server-events.ts';

test.each([1, 2, 3, 7, 1_000])(
  'events are the same in pieces of %i letters, with any ends of lines',
  (size) => {
    const text =
      'retry: 1000\n\n: still here\n\nid: s.1\nevent: message\ndata: {"a":"x\u2028y: z"}\n\nid: s.2\r\ndata:one\r\ndata: two\r\n\r\ndata: half';
    const parse = createEventParser();

    const events = text.match(new RegExp(`.{1,${size}}`, 'gsu'))?.flatMap((piece) => parse(piece));

    expect(events).toEqual([
      { id: 's.1', event: 'message', data: '{"a":"x\u2028y: z"}' },
      { id: 's.2', event: 'message', data: 'one\ntwo' },
    ]);
  },
);
