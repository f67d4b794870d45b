import { CONSUMERS } from '../rig.ts';
import type { FaultRow, Run } from '../fault-row.ts';
import { goOn } from './steps.ts';

const READY_WITHIN_MS = 15_000;

export const gatewayKilled: FaultRow = {
  id: 'F1',
  fault: 'kill -9 of the gateway',
  brokers: 1,
  mayBreak: true,
  inject: (run) => killAgainAndAgain(run, ['gateway']),
};

export const consumersKilled: FaultRow = {
  id: 'F2',
  fault: 'kill -9 of the consumers',
  brokers: 1,
  mustAccept: true,
  inject: (run) => killAgainAndAgain(run, CONSUMERS),
};

async function killAgainAndAgain(run: Run, names: readonly string[]): Promise<void> {
  const { rig, plan, recoveries } = run;
  let slowestMs = 0;
  for (let kill = 0; kill < plan.kills; kill += 1) {
    const name = names[kill % names.length] ?? '';
    await goOn(run, 100, 1_200);
    const killedAt = performance.now();
    rig.supervisor.kill(name, 'SIGKILL');
    await rig.supervisor.ready(name);
    slowestMs = Math.max(slowestMs, performance.now() - killedAt);
  }
  recoveries.push({ what: 'ready after a kill', ms: slowestMs, msMax: READY_WITHIN_MS });
}
