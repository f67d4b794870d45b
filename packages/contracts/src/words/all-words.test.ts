import { describe, expect, test } from '@jest/globals';
import * as contracts from '../index.ts';
import { WORDS } from './all-words.ts';
import type { Words } from './words.ts';

const all = Object.entries(WORDS).flatMap(([place, words]) =>
  Object.entries<Words>(words).map(([code, said]) => ({ name: `${place} ${code}`, said })),
);
const codes = new Set(Object.values(WORDS).flatMap((words) => Object.keys(words)));

test('every list of reasons, codes, statuses and states that contracts has is explained', () => {
  const lists = Object.entries(contracts).filter(
    ([name]) =>
      /_(REASONS|CODES|STATUSES|STATES|ERRORS|CLASSES|OUTCOMES|KINDS|FAULTS)$/.test(name) &&
      !/^(EVENT|DEVICE|WEBHOOK)_KINDS$|^ATTEMPT_OUTCOMES$|^LATER_OUTCOMES$|^SUCCESS_STATES$|^RECEIPT_STATUSES$|^WEBHOOK_DELIVERY_STATES$/.test(
        name,
      ),
  );

  expect(lists.length).toBeGreaterThan(12);
  for (const [name, list] of lists) {
    const values = Array.isArray(list) ? (list as string[]) : Object.keys(list);
    expect([name, values.filter((value) => !codes.has(value))]).toEqual([name, []]);
  }
});

describe.each(all)('$name', ({ said }) => {
  test('is said in sentences', () => {
    expect(said.means).toMatch(/^[A-Z].{5,}\.$/);
    expect(said.toDo).toMatch(/^[A-Z].{4,}\.$/);
  });
});
