import { freePorts } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { createAnswerDropper, type AnswerDropper } from '../net/kafka-answers.ts';
import { startTcpProxy, type TcpProxy } from '../net/tcp-proxy.ts';
import type { RigProxies } from './rig.ts';

export type IngestProxies = RigProxies & {
  readonly gatewayToKafka: TcpProxy;
  readonly consumersToKafka: TcpProxy;
  readonly consumersToPostgres: TcpProxy;
  readonly othersToPostgres: TcpProxy;
  /** Listen ports. */
  readonly ports: Readonly<
    Record<
      'gatewayToKafka' | 'consumersToKafka' | 'consumersToPostgres' | 'othersToPostgres',
      number
    >
  >;
  /** Drops responses from Kafka to the far gateway. */
  readonly answerDropper: AnswerDropper;
};

export async function startIngestProxies(): Promise<IngestProxies> {
  const [
    gatewaySide = 0,
    consumersSide = 0,
    gatewayToKafka = 0,
    consumersToKafka = 0,
    consumersToPostgres = 0,
    othersToPostgres = 0,
  ] = await freePorts(6);
  const ports = { gatewayToKafka, consumersToKafka, consumersToPostgres, othersToPostgres };
  const targets = { postgres: 0 };
  const random = randomFrom(1);
  const answerDropper = createAnswerDropper();
  const targetPort = (): number => targets.postgres;
  const proxies = {
    gatewayToKafka: await startTcpProxy({
      port: gatewayToKafka,
      targetPort: () => gatewaySide,
      random,
      createFilter: answerDropper.createFilter,
    }),
    consumersToKafka: await startTcpProxy({
      port: consumersToKafka,
      targetPort: () => consumersSide,
      random,
    }),
    consumersToPostgres: await startTcpProxy({ port: consumersToPostgres, targetPort, random }),
    othersToPostgres: await startTcpProxy({ port: othersToPostgres, targetPort, random }),
  };
  return {
    ...proxies,
    ports,
    targets,
    sideListeners: [
      { port: gatewaySide, advertisedPort: gatewayToKafka },
      { port: consumersSide, advertisedPort: consumersToKafka },
    ],
    answerDropper,
    clear() {
      for (const proxy of Object.values(proxies)) proxy.set({});
    },
    async close() {
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    },
  };
}
