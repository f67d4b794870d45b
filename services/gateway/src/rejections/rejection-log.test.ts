import { afterEach, describe, expect, test } from '@jest/globals';
import type { RejectedRequest } from '@tidings/events/rejected-requests';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import {
  createRejectionLog,
  type Rejection,
  type RejectionLog,
  type RejectionLogOptions,
} from './rejection-log.ts';

const logs: RejectionLog[] = [];
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.stop()));
});

function startLog(options: Partial<RejectionLogOptions> = {}) {
  const clock = createFakeClock();
  const { logger, lines } = createRecordingLogger();
  const inserted: RejectedRequest[][] = [];
  const log = createRejectionLog({
    insert: async (rejections) => void inserted.push([...rejections]),
    clock,
    logger,
    flushIntervalMs: 3_600_000,
    ...options,
  });
  logs.push(log);
  return { log, clock, lines, inserted };
}

let requests = 0;
const rejection = (applicationId = 'a', fields: Partial<Rejection> = {}): Rejection => {
  requests += 1;
  return {
    requestId: `r${requests}`,
    applicationId,
    keyId: 'k',
    receivedAt: 1,
    path: '/',
    status: 400,
    code: 'validation_failed',
    address: null,
    errors: [],
    customUserId: null,
    serviceUserId: null,
    ...fields,
  };
};

describe('rejected requests', () => {
  test('wait for the next flush, which inserts them all at once', async () => {
    const { log, inserted } = startLog();
    const [first, second] = [rejection(), rejection('b')];

    log.note(first);
    log.note(second);
    expect(inserted).toEqual([]);
    await log.flush();

    expect(inserted).toEqual([
      [
        { ...first, unlisted: 0 },
        { ...second, unlisted: 0 },
      ],
    ]);
  });

  test('are flushed by themselves', async () => {
    let insertedOne: (() => void) | undefined;
    const inserted = new Promise<void>((resolve) => {
      insertedOne = resolve;
    });
    const { log } = startLog({ flushIntervalMs: 1, insert: async () => insertedOne?.() });

    log.note(rejection());

    await inserted;
  });

  test('keep at most 100 of their errors', async () => {
    const { log, inserted } = startLog();

    log.note(
      rejection('a', {
        errors: Array.from({ length: 101 }, (_, index) => ({
          pointer: `/${index}`,
          code: 'required' as const,
        })),
      }),
    );
    await log.flush();

    expect(inserted[0]?.[0]?.errors).toHaveLength(100);
  });
});

test('entries with long pointers keep as many as fit', async () => {
  const { log, inserted } = startLog();

  log.note(
    rejection('a', {
      errors: Array.from({ length: 100 }, (_, index) => ({
        pointer: `/${'k'.repeat(997)}${index % 10}`,
        code: 'required' as const,
      })),
    }),
  );
  await log.flush();

  expect(inserted[0]?.[0]?.errors).toHaveLength(10);
});

describe('a flood', () => {
  test('one application gets a bounded number of entries per second; its next entry counts the rest; others are unaffected', async () => {
    const { log, clock, inserted } = startLog({ perSecondMax: 3 });

    for (let count = 0; count < 1_000; count += 1) log.note(rejection());
    log.note(rejection('b'));
    clock.advance(1_000);
    log.note(rejection());
    log.note(rejection());
    await log.flush();

    expect(
      inserted.flat().map(({ applicationId, unlisted }) => `${applicationId} ${unlisted}`),
    ).toEqual(['a 0', 'a 0', 'a 0', 'b 0', 'a 997', 'a 0']);
  });

  test('of many applications does not fill the memory', async () => {
    const { log, inserted } = startLog({ waitingMax: 5 });

    for (let count = 0; count < 100; count += 1) log.note(rejection(`application ${count}`));
    await log.flush();
    log.note(rejection('application 99'));
    await log.flush();

    expect(inserted.map((rejections) => rejections.length)).toEqual([5, 1]);
    expect(inserted[1]?.[0]).toMatchObject({ applicationId: 'application 99', unlisted: 1 });
  });
});

describe('Postgres away', () => {
  test('loses the entries, not their number', async () => {
    const inserted: RejectedRequest[] = [];
    let isAway = true;
    const { log, lines } = startLog({
      insert: async (rejections) => {
        if (isAway) throw new Error('connection rejected');
        inserted.push(...rejections);
      },
    });

    log.note(rejection());
    log.note(rejection());
    await log.flush();
    isAway = false;
    log.note(rejection());
    await log.flush();

    expect(inserted).toHaveLength(1);
    expect(inserted[0]?.unlisted).toBe(2);
    expect(lines).toHaveLength(1);
  });

  test('and hanging holds one insert at a time, and never who notes', async () => {
    const calls: (() => void)[] = [];
    const { log } = startLog({
      waitingMax: 2,
      insert: () => new Promise((resolve) => calls.push(resolve)),
    });

    log.note(rejection());
    const hanging = log.flush();
    for (let count = 0; count < 10; count += 1) log.note(rejection());
    void log.flush();
    expect(calls).toHaveLength(1);
    calls[0]?.();
    await hanging;
    const next = log.flush();

    expect(calls).toHaveLength(2);
    calls[1]?.();
    await next;
  });
});

test('stopping inserts what still waits', async () => {
  const { log, inserted } = startLog();
  log.note(rejection());

  await log.stop();

  expect(inserted.flat()).toHaveLength(1);
});
