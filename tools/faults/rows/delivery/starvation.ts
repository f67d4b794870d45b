import { SENT_CHANNELS, WORKERS } from '../../rigs/delivery-proxies.ts';
import { PROVIDER_TIMEOUT_MS } from '../../rigs/delivery-rig.ts';
import { runFor, noteRecovery } from '../steps.ts';
import type { DeliveryRow } from './delivery-row.ts';
import { killWorker } from './kills.ts';
import { allowAmbiguousAttempts, untilAllSend, untilSends } from './steps.ts';

const BLOCKED_MS = 5_000;
/** A tenth of a CPU, in slices like a container limit. */
const SLICE_MS = { stopped: 180, running: 20 };
const SENDS_AGAIN_WITHIN_MS = 15_000;

/**
 * A worker is killed (out of memory); then each is frozen for a while, and gets a tenth of a CPU.
 */
export const workersStarved: DeliveryRow = {
  id: 'D22',
  fault: 'a worker killed (out of memory), its event loop blocked, a tenth of a CPU',
  brokers: 1,
  async inject(run) {
    const { supervisor } = run.rig;
    for (const channel of SENT_CHANNELS) {
      await untilSends(run, channel);
      await killWorker(run, channel);
    }
    await untilAllSend(run);
    for (const channel of SENT_CHANNELS) {
      allowAmbiguousAttempts(run, [channel]);
      supervisor.kill(WORKERS[channel], 'SIGSTOP');
      await runFor(run, BLOCKED_MS);
      supervisor.kill(WORKERS[channel], 'SIGCONT');
    }
    // So slow that all responses may be late: repeatedly as many as its concurrency.
    allowAmbiguousAttempts(
      run,
      SENT_CHANNELS,
      Math.ceil(run.plan.outageMs / PROVIDER_TIMEOUT_MS) + 1,
    );
    const startedAt = performance.now();
    while (performance.now() - startedAt < run.plan.outageMs) {
      for (const name of Object.values(WORKERS)) supervisor.kill(name, 'SIGSTOP');
      await runFor(run, SLICE_MS.stopped);
      for (const name of Object.values(WORKERS)) supervisor.kill(name, 'SIGCONT');
      await runFor(run, SLICE_MS.running);
    }
    const from = performance.now();
    await untilAllSend(run);
    noteRecovery(run, {
      what: 'all send again with a full CPU',
      ms: performance.now() - from,
      msMax: SENDS_AGAIN_WITHIN_MS,
    });
  },
};
