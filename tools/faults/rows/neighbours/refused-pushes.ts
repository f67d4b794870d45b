import { keepAsking } from '../../load/neighbours/attacker.ts';
import { REFUSED_PUSH } from '../../load/neighbours/costly.ts';
import type { NeighboursRow } from './neighbours-row.ts';

const PUSH_EVERY_MS = 2_000;

export const refusedPushes: NeighboursRow = {
  id: 'N4',
  fault: 'a refused personalised push of 300,000 images, every two seconds',
  brokers: 1,
  attack: (attacker) =>
    keepAsking(attacker, {
      connections: 1,
      pauseMs: PUSH_EVERY_MS,
      request: () => ({
        what: 'push',
        method: 'POST',
        url: `${attacker.rig.gatewayUrl}/push`,
        body: REFUSED_PUSH,
      }),
    }),
};
