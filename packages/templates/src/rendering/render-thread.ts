// Renders templates in a thread of its own, which `RenderPool` ends when one takes too long.

import { parentPort, workerData } from 'node:worker_threads';
import { PROGRESS, type RenderAnswer, type RenderJob } from './render-job.ts';
import { runJob } from './run-job.ts';

const progress = workerData as Int32Array;

parentPort?.on('message', (job: RenderJob) => {
  // One job at a time.
  void answer(job).then((answered) => parentPort?.postMessage(answered));
});

async function answer(job: RenderJob): Promise<RenderAnswer> {
  try {
    return await runJob(job, { onStep: enter });
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function enter(user: number): void {
  Atomics.store(progress, PROGRESS.user, user);
  Atomics.add(progress, PROGRESS.turns, 1);
}
