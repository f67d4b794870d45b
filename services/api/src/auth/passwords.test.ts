import { describe, expect, test } from '@jest/globals';
import { AppError } from '@tidings/platform';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords();
const PASSWORD = 'correct horse battery staple';

describe('a password', () => {
  test('is hashed with argon2id and a random salt, and verified', async () => {
    const [first, second] = await Promise.all([passwords.hash(PASSWORD), passwords.hash(PASSWORD)]);

    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(second).not.toBe(first);
    expect(await passwords.check(PASSWORD, first)).toBe(true);
    expect(await passwords.check(`${PASSWORD} `, first)).toBe(false);
    expect(await passwords.check(PASSWORD, null)).toBe(false);
    expect(passwords.isOutdated(first)).toBe(false);
    expect(passwords.isOutdated(first.replace('t=2', 't=1'))).toBe(true);
  });

  test('is normalized: composed and decomposed letters are equal', async () => {
    expect(
      await passwords.check(
        'zwölf Männer, décomposé'.normalize('NFD'),
        await passwords.hash('zwölf Männer, décomposé'.normalize('NFC')),
      ),
    ).toBe(true);
  });

  test('costs as much to check without an account', async () => {
    const hash = await passwords.hash(PASSWORD);
    // CPU time of all threads, independent of other processes.
    const leastCpu = async (of: string | null): Promise<number> => {
      let least = Infinity;
      for (let round = 0; round < 5; round += 1) {
        const before = process.cpuUsage();
        await passwords.check('another one', of);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, user + system);
      }
      return least;
    };

    const [known, unknown] = [await leastCpu(hash), await leastCpu(null)];

    expect(unknown / known).toBeGreaterThan(0.3);
    expect(unknown / known).toBeLessThan(3);
  });

  test('a full queue rejects further calls, and serves all accepted ones', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, () => passwords.check(PASSWORD, null)),
    );

    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(60 - 42);
    for (const { reason } of refused)
      expect(reason instanceof AppError && reason.code).toBe('unavailable');
    expect(await passwords.check(PASSWORD, null)).toBe(false);
  }, 60_000);
});
