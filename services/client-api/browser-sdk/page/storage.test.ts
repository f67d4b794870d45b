import { describe, expect, test } from '@jest/globals';
import { openStorage } from './storage.ts';

/** A browser storage with limited capacity. Its keys are own properties, as in browsers. */
function fakeLocal(entriesMax = Infinity): globalThis.Storage {
  const entries: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => entries[key] ?? null,
    setItem(key: string, value: string) {
      if (!(key in entries) && Object.keys(entries).length >= entriesMax)
        throw new Error('QuotaExceededError');
      entries[key] = value;
    },
    removeItem: (key: string) => void delete entries[key],
  };
  return Object.defineProperties(
    entries,
    Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
  ) as unknown as globalThis.Storage;
}

describe('storage', () => {
  test('stores values under its own prefix, and does not see others', () => {
    const local = fakeLocal();
    const [one, other] = [openStorage('a:', local), openStorage('b:', local)];
    local.setItem('theirs', 'x');

    one.set('name', '1');
    other.set('name', '2');

    expect([one.get('name'), other.get('name'), one.names(), local.getItem('a:name')]).toEqual([
      '1',
      '2',
      ['name'],
      '1',
    ]);
    expect(openStorage('a:', local).get('name')).toBe('1');
  });

  test.each([
    ['is missing', undefined],
    ['is full', fakeLocal(0)],
    [
      'throws at everything',
      new Proxy(fakeLocal(), {
        get: () => {
          throw new Error('SecurityError');
        },
        ownKeys: () => {
          throw new Error('SecurityError');
        },
      }),
    ],
  ])('works while the page is open when the browser’s %s', (_what, local) => {
    const storage = openStorage('a:', local);

    storage.set('one', '1');
    storage.set('two', '2');
    storage.remove('one');

    expect([storage.get('one'), storage.get('two'), storage.names()]).toEqual([
      undefined,
      '2',
      ['two'],
    ]);
  });
});
