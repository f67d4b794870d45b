import { expect, test } from '@jest/globals';
import { eventually, Hopeless } from './eventually.ts';

const SOON = { timeoutMs: 50, intervalMs: 1 };

test('it returns the answer of the first try that does not throw', async () => {
  let tries = 0;

  const answer = await eventually(() => {
    tries += 1;
    if (tries < 3) throw new Error('too early');
    return tries;
  }, SOON);

  expect(answer).toBe(3);
});

test('after the deadline the error says what the last try saw, how long it waited and for what', async () => {
  let mails = 0;
  const waiting = eventually(async () => expect((mails += 1)).toBe(0), SOON);

  const error = await waiting.catch((thrown: unknown) => thrown as Error);

  expect(error).toMatchObject({
    message: expect.stringMatching(
      new RegExp(String.raw`Waited \d\.\d s, ${mails} tries, for: async \(\) => expect\(\(mails`),
    ),
    cause: expect.objectContaining({ message: expect.stringContaining(`${mails}`) }),
  });
});

test('a check that never ends fails too, with what the try before saw', async () => {
  const hangingFromTry = (from: number) => {
    let tries = 0;
    return eventually(() => {
      tries += 1;
      if (tries < from) throw new Error('not yet');
      return new Promise(() => undefined);
    }, SOON).catch(({ message }: Error) => message);
  };

  expect(await Promise.all([hangingFromTry(1), hangingFromTry(2)])).toEqual([
    expect.stringMatching(/^the check has not ended\n\nWaited 5\.\d s, 1 tries, for: /),
    expect.stringMatching(/^not yet\n\nWaited 5\.\d s, 2 tries, for: /),
  ]);
});

test('no try follows one that no later one can pass', async () => {
  let tries = 0;
  const waiting = eventually(() => {
    tries += 1;
    throw new Hopeless('it has exited');
  });

  await expect(waiting).rejects.toThrow(/^it has exited$/);
  expect(tries).toBe(1);
});
