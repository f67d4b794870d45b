// Offsets are reset only by operators with Kafka's tools, so the bus does not offer it.
import kafkajs from 'kafkajs';
import { TOPICS } from '@tidings/contracts/topics';

/** Resets groups without members to the first record of the ingest topic. */
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
