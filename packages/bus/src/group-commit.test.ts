import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import {
  BusRejectedError,
  BusUnavailableError,
  type OutgoingRecord,
  type Producer,
} from './bus.ts';
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import { until } from './until.ts';

type Call = { readonly values: readonly string[]; answer(error?: Error): void };

const commits: GroupCommit[] = [];
const calls: Call[] = [];

afterEach(async () => {
  for (const call of calls.splice(0)) call.answer();
  await Promise.all(commits.splice(0).map((commit) => commit.drain()));
});

/** A producer whose calls are answered by the test, or at once by `answer`. */
function fakeProducer(answer?: (values: readonly string[]) => Error | undefined): Producer {
  return {
    produce(_topic, records) {
      const values = records.map(({ value }) => value.toString());
      return new Promise((resolve, reject) => {
        const settle = (error?: Error): void => (error === undefined ? resolve([]) : reject(error));
        calls.push({ values, answer: settle });
        if (answer !== undefined) settle(answer(values));
      });
    },
    disconnect: () => Promise.resolve(),
  };
}

function groupCommit(producer: Producer, options: Partial<GroupCommitOptions> = {}): GroupCommit {
  const commit = createGroupCommit(producer, {
    topic: 't',
    recordsMax: 100,
    bytesMax: 100_000,
    deadlineMs: 10_000,
    ...options,
  });
  commits.push(commit);
  return commit;
}

function record(value: string): OutgoingRecord {
  return { key: 'k', value };
}

function appendAll(
  commit: GroupCommit,
  values: readonly string[],
): Promise<PromiseSettledResult<void>[]> {
  return Promise.allSettled(values.map((value) => commit.append(record(value))));
}

async function call(index: number): Promise<Call> {
  await until(() => calls.length > index);
  const found = calls[index];
  if (found === undefined) throw new Error('no such call');
  return found;
}

function valuesOf(seen: readonly Call[]): (readonly string[])[] {
  return seen.map(({ values }) => values);
}

test('records of one turn share a call, and those that come while it is under way share the next', async () => {
  const commit = groupCommit(fakeProducer());
  const results = [appendAll(commit, ['0', '1'])];
  const first = await call(0);
  results.push(appendAll(commit, ['2']), appendAll(commit, ['3', '4']));
  await turn();

  expect(calls).toHaveLength(1);
  first.answer();
  (await call(1)).answer();

  for (const settled of (await Promise.all(results)).flat())
    expect(settled.status).toBe('fulfilled');
  expect(valuesOf(calls)).toEqual([
    ['0', '1'],
    ['2', '3', '4'],
  ]);
});

test('no caller succeeds before the call has succeeded', async () => {
  const commit = groupCommit(fakeProducer());
  let isDone = false;
  const done = commit.append(record('0')).then(() => (isDone = true));
  const first = await call(0);
  await turn();

  expect(isDone).toBe(false);
  first.answer();
  await done;
});

test('a call is bounded by count', async () => {
  const commit = groupCommit(
    fakeProducer(() => undefined),
    { recordsMax: 2 },
  );
  await appendAll(commit, ['0', '1', '2', '3', '4']);
  expect(valuesOf(calls)).toEqual([['0', '1'], ['2', '3'], ['4']]);
});

test('a call is bounded by bytes, and a record above the bound goes alone', async () => {
  const commit = groupCommit(
    fakeProducer(() => undefined),
    { bytesMax: 1_000 },
  );
  const [small, large] = ['s'.repeat(300), 'l'.repeat(2_000)];
  await appendAll(commit, [small, small, large, small]);
  expect(valuesOf(calls)).toEqual([[small, small], [large], [small]]);
});

test('every record of a failed call is unavailable', async () => {
  const commit = groupCommit(fakeProducer(() => new BusUnavailableError('away')));
  for (const settled of await appendAll(commit, ['0', '1'])) {
    expect(settled).toEqual({ status: 'rejected', reason: expect.any(BusUnavailableError) });
  }
});

test('an unexpected error counts as unavailable', async () => {
  const commit = groupCommit(fakeProducer(() => new TypeError('a bug')));
  await expect(commit.append(record('0'))).rejects.toBeInstanceOf(BusUnavailableError);
});

test('a rejected record does not fail the others', async () => {
  const commit = groupCommit(
    fakeProducer((values) =>
      values.includes('bad') ? new BusRejectedError('too large') : undefined,
    ),
  );

  const results = await appendAll(commit, ['0', '1', 'bad', '3', '4']);

  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(results[2]).toMatchObject({ reason: expect.any(BusRejectedError) });
});

test('rejected records do not open the breaker', async () => {
  const commit = groupCommit(
    fakeProducer((values) =>
      values.includes('bad') ? new BusRejectedError('too large') : undefined,
    ),
  );
  for (let n = 0; n < 5; n += 1) await appendAll(commit, ['bad']);
  await expect(commit.append(record('good'))).resolves.toBeUndefined();
});

test('while a call hangs, its callers and those behind it are answered at their deadline', async () => {
  const commit = groupCommit(fakeProducer(), { deadlineMs: 50 });
  const startedAt = performance.now();

  const first = appendAll(commit, ['0']);
  await call(0);
  const results = [...(await appendAll(commit, ['1', '2'])), ...(await first)];

  for (const settled of results)
    expect(settled).toEqual({ status: 'rejected', reason: expect.any(BusUnavailableError) });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test('a record whose caller was answered in the queue is not sent any more', async () => {
  const commit = groupCommit(fakeProducer(), { deadlineMs: 50, recordsMax: 1 });
  await appendAll(commit, ['hangs', 'late', 'late']);

  await Promise.all([appendAll(commit, ['next']), call(1).then(({ answer }) => answer())]);

  expect(valuesOf(calls)).toEqual([['hangs'], ['next']]);
});

test('a call that never returns does not stop the ones after it', async () => {
  const commit = groupCommit(fakeProducer(), { deadlineMs: 50 });
  await appendAll(commit, ['hangs']);

  const next = commit.append(record('goes'));
  (await call(1)).answer();

  await expect(next).resolves.toBeUndefined();
});

test('after three failed calls in a row callers are rejected at once, except one probe at a time', async () => {
  let isAway = true;
  const commit = groupCommit(
    fakeProducer(() => (isAway ? new BusUnavailableError('away') : undefined)),
    { probeIntervalMs: 100 },
  );
  for (let n = 0; n < 3; n += 1) await appendAll(commit, [`fails-${n}`]);

  const turnedAway = await appendAll(commit, ['0', '1', '2']);
  expect(turnedAway.every(({ status }) => status === 'rejected')).toBe(true);
  expect(calls).toHaveLength(3);

  isAway = false;
  await until(async () => (await appendAll(commit, ['probe']))[0]?.status === 'fulfilled', 2_000);
  expect(calls).toHaveLength(4);
  await expect(commit.append(record('again'))).resolves.toBeUndefined();
});

test('a probe is not held up by calls that hang', async () => {
  const commit = groupCommit(fakeProducer(), {
    deadlineMs: 300,
    probeIntervalMs: 20,
    failuresMax: 1,
  });
  await appendAll(commit, ['hangs']);
  const probes: Promise<unknown>[] = [];
  await until(() => {
    probes.push(appendAll(commit, ['probe']));
    return calls.length >= 4;
  });

  calls.at(-1)?.answer();

  await until(
    async () =>
      (await Promise.race([appendAll(commit, ['x']), turn([{ status: 'waits' }])]))[0]?.status !==
      'rejected',
  );
  for (const each of calls) each.answer();
  await Promise.all(probes);
});

test('queued records are rejected when the breaker opens', async () => {
  const commit = groupCommit(fakeProducer(), { failuresMax: 1 });
  const first = appendAll(commit, ['0']);
  const failing = await call(0);
  const waiting = appendAll(commit, ['1']);

  failing.answer(new BusUnavailableError('away'));

  expect((await Promise.all([first, waiting])).flat().map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
  expect(calls).toHaveLength(1);
});

test('drain resolves when nothing is pending', async () => {
  const commit = groupCommit(fakeProducer());
  await commit.drain();
  const result = commit.append(record('0'));
  let isDrained = false;
  const drained = commit.drain().then(() => (isDrained = true));
  const first = await call(0);
  await turn();

  expect(isDrained).toBe(false);
  first.answer();
  await Promise.all([result, drained]);
});
