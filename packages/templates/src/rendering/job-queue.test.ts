import { expect, test } from '@jest/globals';
import { JobQueue, type QueuedJob } from './job-queue.ts';

const jobOf = (applicationId: string) => ({ applicationId }) as QueuedJob;

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

  expect(queue.take(new Set(['a']))?.applicationId).toBe('b');
  expect(queue.take(new Set(['a']))).toBeNull();
  expect(queue.take(NONE)?.applicationId).toBe('a');
});
