import type { AnswerDropper } from '../net/kafka-answers.ts';
import { startIngestProxies, type IngestProxies } from './ingest-proxies.ts';
import { startRig, type Brokers, type Rig, type RigStart } from './rig.ts';

export const CONSUMERS = ['users-consumer', 'events-consumer'] as const;
/** Reaches Kafka through a proxy of its own whose weather a row decides; the first gateway reaches it straight. */
export const FAR_GATEWAY = 'gateway-2';

export type IngestRig = Rig<IngestProxies> & {
  readonly gatewayUrls: { readonly near: string; readonly far: string };
  readonly answerDropper: AnswerDropper;
};

/** A gateway that is not ready goes on taking requests for this long: the balancing caller has noticed by then. */
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
  // Onto it, since which Postgres is the one may change.
  return Object.assign(rig, {
    gatewayUrls: { near: rig.tidings.serviceUrl('gateway'), far },
    answerDropper: proxies.answerDropper,
  });
}
