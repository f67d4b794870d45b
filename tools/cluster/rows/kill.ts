import { nameOf } from '../images.ts';
import type { Row } from '../row.ts';
import { killFirstProcess } from '../support/kill-first-process.ts';
import { until } from '../support/until.ts';
import { underLoad } from './under-load.ts';

/** Killed one after the other; for workers, the one whose channel is used. */
const KILLED = [
  'gateway',
  'campaigns',
  'worker-email',
  'users-consumer',
  'events-consumer',
  'automation-engine',
];
/** The default of worker-email. */
const SEND_CONCURRENCY = 50;
const BACK_WITHIN_MS = 120_000;

export const kill: Row = {
  name: 'kill',
  claim: 'kill -9 of a pod of each kind: nothing accepted is lost, nothing is sent twice',
  run: (stage) =>
    // A client connected to the killed gateway gets no response, and may reach its address once
    // more.
    underLoad(
      stage,
      { name: 'kill', allowance: { failures: true, unknown: SEND_CONCURRENCY } },
      async () => {
        for (const component of KILLED) {
          const [pod] = await stage.installation.pods(component);
          if (pod === undefined) throw new Error(`${component} has no pod`);
          const before = pod.status.containerStatuses?.[0]?.restartCount ?? 0;
          await killFirstProcess({ pod, image: nameOf(stage.images.now), signal: stage.signal });
          await until(
            { what: `${pod.metadata.name} is back`, withinMs: BACK_WITHIN_MS },
            async () => {
              const status = (await stage.installation.pods(component)).find(
                ({ metadata }) => metadata.name === pod.metadata.name,
              )?.status.containerStatuses?.[0];
              return status !== undefined && status.restartCount > before && status.ready
                ? true
                : undefined;
            },
          );
        }
        return { notes: [`killed: ${KILLED.join(', ')}`] };
      },
    ),
};
