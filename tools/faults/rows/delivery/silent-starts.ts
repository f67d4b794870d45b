import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import { checkReady, startWhileKafkaIsSilent } from '../injected-faults/kafka.ts';
import { noteRecovery } from '../steps.ts';
import type { DeliveryRow } from './delivery-row.ts';
import { allowAmbiguousAttempts, untilAllSend } from './steps.ts';

/** The groups wait 6 s for the sessions of the killed processes. */
const SENDS_WITHIN_MS = 30_000;

export const startedWhileKafkaIsSilent: DeliveryRow = {
  id: 'D28',
  fault:
    'gateway, campaigns and workers killed while Kafka is frozen: they start while it does not respond',
  brokers: 1,
  needsKafka: true,
  async inject(run) {
    allowAmbiguousAttempts(run, SENT_CHANNELS);
    const { backAt } = await startWhileKafkaIsSilent(run, () => Promise.resolve());
    await untilAllSend(run);
    noteRecovery(run, {
      what: 'every channel sends after Kafka responds',
      ms: performance.now() - backAt,
      msMax: SENDS_WITHIN_MS,
    });
    await checkReady(run);
  },
};
