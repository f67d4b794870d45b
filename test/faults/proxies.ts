import { freePorts, type SideListener } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { createAnswerDropper, type AnswerDropper } from './net/kafka-answers.ts';
import { startTcpProxy, type TcpProxy } from './net/tcp-proxy.ts';

/** Between the parts of an installation, wherever a row may make the network bad or another server answer. */
export type Proxies = {
  readonly gatewayToKafka: TcpProxy;
  readonly consumersToKafka: TcpProxy;
  readonly consumersToPostgres: TcpProxy;
  readonly othersToPostgres: TcpProxy;
  /** Where each listens, and where Postgres is: 0 until that is known. */
  readonly ports: Record<'gatewayToKafka' | 'consumersToKafka' | 'consumersToPostgres' | 'othersToPostgres' | 'postgres', number>;
  /** How a broker tells who comes through a proxy to stay with it. */
  readonly sideListeners: readonly SideListener[];
  /** Of what the far gateway hears from Kafka. */
  readonly answerDropper: AnswerDropper;
  /** Fair weather everywhere. */
  clear(): void;
  close(): Promise<void>;
};

export async function startProxies(): Promise<Proxies> {
  const [gatewaySide = 0, consumersSide = 0, gatewayToKafka = 0, consumersToKafka = 0, consumersToPostgres = 0, othersToPostgres = 0] = await freePorts(6);
  const ports = { gatewayToKafka, consumersToKafka, consumersToPostgres, othersToPostgres, postgres: 0 };
  const random = randomFrom(1);
  const answerDropper = createAnswerDropper();
  const targetPort = (): number => ports.postgres;
  const proxies = {
    gatewayToKafka: await startTcpProxy({ port: gatewayToKafka, targetPort: () => gatewaySide, random, createFilter: answerDropper.createFilter }),
    consumersToKafka: await startTcpProxy({ port: consumersToKafka, targetPort: () => consumersSide, random }),
    consumersToPostgres: await startTcpProxy({ port: consumersToPostgres, targetPort, random }),
    othersToPostgres: await startTcpProxy({ port: othersToPostgres, targetPort, random }),
  };
  return {
    ...proxies,
    ports,
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
