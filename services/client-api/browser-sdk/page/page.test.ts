import { describe, expect, test } from '@jest/globals';
import { backoffMs } from '../shared/backoff.ts';
import { nextTime, randomId } from './ids.ts';
import { createEventParser } from './inbox/server-events.ts';
import { leadingUrl } from './navigate.ts';
import { openStorage } from './storage.ts';

describe('ids', () => {
  test('an id is a random version 4 UUID', () => {
    const ids = Array.from({ length: 100 }, randomId);

    expect(
      ids.filter(
        (id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
      ),
    ).toEqual([]);
    expect(new Set(ids).size).toBe(100);
  });

  test('events of the same millisecond get different times, across tabs too: equal times of a user would be duplicates', () => {
    const storage = openStorage('a:', undefined);

    const times = [1_000, 1_000, 1_000, 999, 1_500].map((now) => nextTime(storage, () => now));

    expect(times).toEqual([1_000, 1_001, 1_002, 1_003, 1_500]);
  });

  test('a corrected clock is trusted again', () => {
    const storage = openStorage('a:', undefined);
    nextTime(storage, () => 5_000_000);

    expect(nextTime(storage, () => 1_000)).toBe(1_000);
  });
});

describe('navigate', () => {
  const BASE = 'https://shop.example/sale/';

  test.each([
    ['https://other.example/a?b#c', 'https://other.example/a?b#c'],
    ['../cart', 'https://shop.example/cart'],
    ['mailto:hello@shop.example', 'mailto:hello@shop.example'],
    ['tel:+4930123', 'tel:+4930123'],
  ])('a click on %s opens %s', (href, url) => {
    expect(leadingUrl(href, BASE)).toBe(url);
  });

  test.each([
    'javascript:alert(1)',
    ' JaVa\nScript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://shop.example/x',
    'intent://x',
    'https://',
    'http://[',
  ])('a click on %j opens nothing', (href) => {
    expect(leadingUrl(href, BASE)).toBeUndefined();
  });
});

describe('backoff', () => {
  test('waits double up to a minute, with full jitter', () => {
    const longest = [0, 1, 2, 5, 6, 30, 2_000].map((attempt) => backoffMs(attempt, () => 1));

    expect(longest).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
    expect(backoffMs(3, () => 0.25)).toBe(2_000);
  });
});

describe('server-events', () => {
  const STREAM =
    ': hello\n\nevent: message\nid: 1\ndata: {"a":1}\n\ndata: one\ndata:two\n\nretry: 10\n\ndata:\r\n\r\nevent: x\rdata: y\r\r';
  const DATA = ['{"a":1}', 'one\ntwo', '', 'y'];

  test.each([1, 2, 3, 7, 1_000])(
    'a stream in chunks of %i characters gives the same data',
    (size) => {
      const seen: string[] = [];
      const parse = createEventParser((data) => seen.push(data));

      for (let at = 0; at < STREAM.length; at += size) parse(STREAM.slice(at, at + size));
      // The last line end could be half of CRLF.
      parse('\n');

      expect(seen).toEqual(DATA);
    },
  );

  test('an incomplete event is ignored', () => {
    const seen: string[] = [];
    const parse = createEventParser((data) => seen.push(data));

    parse('data: half\n');

    expect(seen).toEqual([]);
  });
});
