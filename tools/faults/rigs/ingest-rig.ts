import type { AnswerDropper } from '../net/kafka-answers.ts';
import { startIngestProxies, type IngestProxies } from './ingest-proxies.ts';
import { startRig, type Brokers, type Rig, type RigStart } from './rig.ts';

export const CONSUMERS = ['users-consumer', 'events-consumer'] as const;
/**
 * Reaches Kafka through a proxy with configurable network conditions; the first gateway connects
 * directly.
 */
export const FAR_GATEWAY = 'gateway-2';

export type IngestRig = Rig<IngestProxies> & {
  readonly gatewayUrls: { readonly near: string; readonly far: string };
  readonly answerDropper: AnswerDropper;
};

/**
 * After becoming not ready, a gateway accepts requests for this long, until the balancing client
 * notices.
 */
const GATEWAY_DRAIN_WAIT_MS = 1_000;

export async function startIngestRig({
  brokers,
  ...start
}: RigStart & { readonly brokers: Brokers }): Promise<IngestRig> {
  const proxies = await startIngestProxies();
  const { ports } = proxies;
  const rig = await startRig({
    ...start,
    brokers,
    proxies,
    postgresPort: ports.othersToPostgres,
    serviceEnv: (service, postgresAt) => {
      const isConsumer = CONSUMERS.some((consumer) => service.startsWith(consumer));
      const kafkaPort = isConsumer
        ? ports.consumersToKafka
        : service === FAR_GATEWAY
          ? ports.gatewayToKafka
          : undefined;
      return {
        ...postgresAt(isConsumer ? ports.consumersToPostgres : ports.othersToPostgres),
        ...(brokers === 1 &&
          start.bus !== 'postgres' &&
          kafkaPort !== undefined && { KAFKA_BROKERS: `127.0.0.1:${kafkaPort}` }),
        ...(service.startsWith('gateway') && { DRAIN_WAIT_MS: String(GATEWAY_DRAIN_WAIT_MS) }),
      };
    },
  });
  const far = await rig.supervisor
    .add({ name: FAR_GATEWAY, program: 'gateway' })
    .catch(async (error: unknown) => {
      await rig.stop();
      throw error;
    });
  // Assigned onto the rig, because the current Postgres may change.
  return Object.assign(rig, {
    gatewayUrls: { near: rig.tidings.serviceUrl('gateway'), far },
    answerDropper: proxies.answerDropper,
  });
}
