import { expect, test } from '@jest/globals';
import type { RenderAnswer, RenderJob } from './render-job.ts';
import type { ThreadEnd } from './job-queue.ts';
import { LOOK_MS } from './overrun-watch.ts';
import { ThreadHandle } from './thread-handle.ts';

/** Its program never comes to a job. */
const NEVER_STARTS = new URL('data:text/javascript,setInterval(() => {}, 1000)');
const START_MS_MAX = 30_000;

test('a thread that does not start is ended, and its job is rejected', async () => {
  const { promise: ended, resolve: onEnded } = Promise.withResolvers<void>();
  const thread = new ThreadHandle({
    entry: NEVER_STARTS,
    idleMs: 60_000,
    renderMsMax: 1_000,
    onEnding: () => undefined,
    onEnded,
  });
  const job = Promise.withResolvers<RenderAnswer | ThreadEnd>();
  thread.run({
    applicationId: 'a',
    job: { kind: 'plain text', html: '' } satisfies RenderJob,
    queuedAt: 0,
    ...job,
  });

  for (let ms = 0; ms <= START_MS_MAX; ms += LOOK_MS) thread.look(ms);

  await expect(job.promise).rejects.toThrow('did not start');
  await ended;
});
