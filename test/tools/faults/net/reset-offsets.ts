// Moving offsets back is an operator's act with Kafka's own tools; no part of the system does it, so the bus cannot.
import kafkajs from 'kafkajs';
import { TOPICS } from '@tidings/contracts';

/** Has groups without members start the ingest topic from its first record. */
export async function resetOffsets(brokers: string, groups: readonly string[]): Promise<void> {
  const admin = new kafkajs.Kafka({
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    for (const groupId of groups)
      await admin.resetOffsets({ groupId, topic: TOPICS.ingest, earliest: true });
  } finally {
    await admin.disconnect();
  }
}
