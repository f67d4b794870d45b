import { expect, test } from '@jest/globals';
import { JobQueue, type QueuedJob } from './job-queue.ts';

const jobOf = (applicationId: string, queuedAt = 0) => ({ applicationId, queuedAt }) as QueuedJob;

function queueOf(...applicationIds: string[]) {
  const queue = new JobQueue();
  for (const applicationId of applicationIds) queue.add(jobOf(applicationId));
  return queue;
}

const NONE = new Set<string>();

test('applications take turns', () => {
  const queue = queueOf('a', 'a', 'a', 'b', 'b', 'c');

  const order = Array.from({ length: 7 }, () => queue.take(NONE)?.applicationId);

  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a', undefined]);
});

test('an application that has a thread waits, and the next has its turn', () => {
  const queue = queueOf('a', 'b');

  expect(queue.hasJob(new Set(['a']))).toBe(true);
  expect(queue.take(new Set(['a']))?.applicationId).toBe('b');
  expect(queue.take(new Set(['a']))).toBeNull();
  expect(queue.hasJob(new Set(['a']))).toBe(false);
  expect(queue.take(NONE)?.applicationId).toBe('a');
  expect(queue.hasJob(NONE)).toBe(false);
});

test('it tells how long the first job of an application has waited', () => {
  const queue = new JobQueue();
  queue.add(jobOf('a', 100));
  queue.add(jobOf('a', 300));
  queue.add(jobOf('b', 400));

  expect(['a', 'b', 'c'].map((id) => queue.waitedMs(id, 500))).toEqual([400, 100, 0]);
  queue.take(NONE);
  expect(queue.waitedMs('a', 500)).toBe(200);
});
