import { keepAsking } from '../../load/neighbours/attacker.ts';
import { COSTLY_CONDITION, PEOPLE, personOf } from '../../load/neighbours/costly.ts';
import type { NeighboursRow } from './neighbours-row.ts';

/** Campaigns whose snapshots wait at any time. */
const PUSHES = 6;
const PUSH_EVERY_MS = 10_000;
const QUESTIONS_AT_ONCE = 60;
const ASK_AGAIN_MS = 250;

/** A push to a segment waits for minutes, so one slice is longer than those of other rows. */
export const costlySegmentPushes: NeighboursRow = {
  id: 'N3',
  fault: 'pushes to costly segments, six at once',
  brokers: 1,
  needsEvents: true,
  plan: { kills: 1, outageMs: 60_000 },
  attack: (attacker) =>
    keepAsking(attacker, {
      connections: PUSHES,
      pauseMs: PUSH_EVERY_MS,
      request: () => ({
        what: 'push',
        method: 'POST',
        url: `${attacker.rig.gatewayUrl}/push`,
        body: JSON.stringify({
          segment: { condition: COSTLY_CONDITION },
          channel: 'EMAIL',
          message: { title: 'Hello', body: 'Hello' },
        }),
      }),
    }),
};

export const segmentQuestions: NeighboursRow = {
  id: 'N5',
  fault: 'previews and explanations of costly segments, 60 at once',
  brokers: 1,
  needsEvents: true,
  attack: (attacker) =>
    keepAsking(attacker, {
      connections: QUESTIONS_AT_ONCE,
      pauseMs: ASK_AGAIN_MS,
      request: (no) => {
        const what = no % 2 === 0 ? 'preview' : 'explain';
        return {
          what,
          method: 'POST',
          url: `${attacker.rig.apiUrl}/api/v1/segments/${what}`,
          body: JSON.stringify({
            condition: COSTLY_CONDITION,
            ...(what === 'explain' && { customUserId: personOf(no % PEOPLE) }),
          }),
        };
      },
    }),
};
