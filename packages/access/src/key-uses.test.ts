import { afterEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import { createKeyUses, type KeyUses } from './key-uses.ts';

const WRITE_EVERY_MS = 60_000;
const made: KeyUses[] = [];
afterEach(() => {
  for (const uses of made.splice(0)) uses.stop();
});

function createSubject() {
  const clock = createFakeClock();
  const writes: { readonly keyIds: readonly string[]; readonly usedAt: number }[] = [];
  const state = { isAway: false, hold: undefined as Promise<void> | undefined };
  const uses = createKeyUses({
    clock,
    logger: createRecordingLogger().logger,
    async write(keyIds, usedAt) {
      writes.push({ keyIds, usedAt });
      await state.hold;
      if (state.isAway) throw new Error('Postgres is away');
    },
  });
  made.push(uses);
  return { clock, uses, writes, state };
}

describe('the last use of a key', () => {
  test('is written behind the requests, many keys at once', async () => {
    const { clock, uses, writes } = createSubject();
    for (const keyId of ['k1', 'k2', 'k1', 'k1']) uses.note(keyId);
    expect(writes).toEqual([]);

    await uses.flush();

    expect(writes).toEqual([{ keyIds: ['k1', 'k2'], usedAt: clock.now() }]);
  });

  test('is written once a minute', async () => {
    const { clock, uses, writes } = createSubject();
    for (let second = 0; second < 180; second += 1) {
      uses.note('k1');
      await uses.flush();
      clock.advance(1_000);
    }

    // The flush after the minute allows the next use to be written.
    expect(writes.map(({ usedAt }) => usedAt - (writes[0]?.usedAt ?? 0))).toEqual([
      0,
      WRITE_EVERY_MS + 1_000,
      2 * (WRITE_EVERY_MS + 1_000),
    ]);
  });

  test('is dropped while Postgres is unavailable, and written afterwards', async () => {
    const { clock, uses, writes, state } = createSubject();
    state.isAway = true;
    uses.note('k1');
    await uses.flush();
    await uses.flush();
    expect(writes).toHaveLength(1);

    state.isAway = false;
    clock.advance(WRITE_EVERY_MS);
    await uses.flush();
    uses.note('k1');
    await uses.flush();

    expect(writes).toHaveLength(2);
  });

  test('is not written twice at the same time', async () => {
    const { uses, writes, state } = createSubject();
    let release = (): void => undefined;
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    uses.note('k1');
    const first = uses.flush();
    uses.note('k2');

    await uses.flush();
    expect(writes).toHaveLength(1);
    release();
    await first;
    await uses.flush();

    expect(writes.map(({ keyIds }) => keyIds)).toEqual([['k1'], ['k2']]);
  });
});
