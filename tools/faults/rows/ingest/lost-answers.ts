import { eventually } from '@tidings/testing';
import type { IngestRow } from './ingest-row.ts';
import { runFor } from '../steps.ts';
import { untilAccepted } from './steps.ts';

const DROPPED_WITHIN_MS = 20_000;

export const answersLost: IngestRow = {
  id: 'I8',
  fault: 'produce responses lost',
  brokers: 1,
  needsKafka: true,
  target: 'far',
  async inject(run) {
    const { rig, plan } = run;
    const { dropNext, dropped } = rig.answerDropper;
    for (let drop = 0; drop < plan.kills; drop += 1) {
      const before = dropped();
      // If only the response is lost, the producer waits for its timeout; with the connection, it
      // retries at once.
      dropNext(drop % 2 === 0 ? 'connection' : 'answer');
      await eventually(
        () => {
          if (dropped() === before) throw new Error('no response was there to drop');
        },
        { timeoutMs: DROPPED_WITHIN_MS },
      );
      await runFor(run, 50, 500);
    }
    await untilAccepted(run, 20);
  },
};
