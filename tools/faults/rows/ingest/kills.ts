import { CONSUMERS, FAR_GATEWAY } from '../../rigs/ingest-rig.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { noteRead } from './postgres-outages.ts';
import { runFor, readyAfterDeath } from '../steps.ts';

const SERVING_WITHIN_MS = 5_000;
/** The group of a killed consumer waits for its session: 6 s here. */
const READ_WITHIN_MS = 16_000;

export const gatewayKilled: IngestRow = {
  id: 'I1',
  fault: 'kill -9 of the gateways',
  brokers: 1,
  // So that broken requests are retried at another process.
  target: 'balanced',
  mayBreak: true,
  async inject(run) {
    const slowest = await killAgainAndAgain(run, ['gateway', FAR_GATEWAY]);
    run.recoveries.push({ what: 'a new gateway is ready', ...slowest, msMax: SERVING_WITHIN_MS });
  },
};

export const consumersKilled: IngestRow = {
  id: 'I2',
  fault: 'kill -9 of the consumers',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    await killAgainAndAgain(run, CONSUMERS);
    await noteRead(run, 'all read after the last kill', READ_WITHIN_MS);
  },
};

/** Records the slowest restart. */
async function killAgainAndAgain(
  run: IngestRun,
  names: readonly string[],
): Promise<{ readonly ms: number; readonly cpuWaitMs: number }> {
  const { rig, plan } = run;
  let slowest = { ms: 0, cpuWaitMs: 0 };
  for (let kill = 0; kill < plan.kills; kill += 1) {
    const name = names[kill % names.length] ?? '';
    await runFor(run, 100, 1_200);
    rig.supervisor.kill(name, 'SIGKILL');
    const took = await readyAfterDeath(run, name);
    if (took.ms - took.cpuWaitMs > slowest.ms - slowest.cpuWaitMs) slowest = took;
  }
  return slowest;
}
