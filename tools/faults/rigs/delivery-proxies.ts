import { freePorts } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { watchCommits } from '../net/kafka-commits.ts';
import { watchStatements } from '../net/postgres-statements.ts';
import { createProviderAnswers, type ProviderAnswers } from '../net/provider-answers.ts';
import { startTcpProxy, type Filter, type TcpProxy } from '../net/tcp-proxy.ts';
import { createBreakpoints, type Breakpoints } from '../net/breakpoints.ts';
import type { RigProxies } from './rig.ts';

/** Channels with injected provider faults, and their workers. */
export const SENT_CHANNELS = ['EMAIL', 'SMS', 'WEB_HOOK'] as const;
export type SentChannel = (typeof SENT_CHANNELS)[number];
export const WORKERS = {
  EMAIL: 'worker-email',
  SMS: 'worker-sms',
  WEB_HOOK: 'worker-web-hook',
} as const satisfies Record<SentChannel, string>;

/** Services that can be killed at a statement; each has its own Postgres proxy. */
const WATCHED = ['campaigns', ...Object.values(WORKERS)] as const;

type OpenedProxy = { readonly port: number; readonly proxy: TcpProxy };
export type ProviderLine = ProviderAnswers & OpenedProxy;

export type DeliveryProxies = RigProxies & {
  readonly targets: { postgres: number; smtp: number; http: number };
  readonly breakpoints: Breakpoints;
  /** Proxies between each worker and its provider. */
  readonly providers: Readonly<Record<SentChannel, ProviderLine>>;
  /** A second proxy to a provider for a single application, whose receiver can be slow alone. */
  readonly ownLines: Readonly<Record<'EMAIL' | 'WEB_HOOK', OpenedProxy>>;
  /** Proxy for all other services. */
  readonly postgresPort: number;
  readonly workersToKafkaPort: number;
  postgresPortOf(program: string): number;
};

export async function startDeliveryProxies(): Promise<DeliveryProxies> {
  const breakpoints = createBreakpoints();
  const targets = { postgres: 0, smtp: 0, http: 0 };
  const { opened, open } = createProxyOpener();
  const openProvider = async (channel: SentChannel): Promise<ProviderLine> => {
    const answers = createProviderAnswers(channel === 'EMAIL' ? 'smtp' : 'http', () =>
      breakpoints.pass({ service: WORKERS[channel], of: 'provider', at: 'answer', text: 'taken' }),
    );
    return {
      ...answers,
      ...(await open(
        () => (channel === 'EMAIL' ? targets.smtp : targets.http),
        answers.createFilter,
      )),
    };
  };

  const postgres = await open(() => targets.postgres);
  const watched = new Map<string, number>();
  for (const service of WATCHED) {
    const { port } = await open(
      () => targets.postgres,
      () => watchStatementsOf(service, breakpoints),
    );
    watched.set(service, port);
  }
  const [workersSide = 0] = await freePorts(1);
  const kafka = await open(
    () => workersSide,
    () =>
      watchCommits((group) =>
        breakpoints.pass({ service: group, of: 'kafka', at: 'answer', text: 'commit' }),
      ),
  );
  const providers = {
    EMAIL: await openProvider('EMAIL'),
    SMS: await openProvider('SMS'),
    WEB_HOOK: await openProvider('WEB_HOOK'),
  };
  const ownLines = {
    EMAIL: await open(() => targets.smtp),
    WEB_HOOK: await open(() => targets.http),
  };

  return {
    targets,
    breakpoints,
    providers,
    ownLines,
    postgresPort: postgres.port,
    workersToKafkaPort: kafka.port,
    postgresPortOf: (program) => watched.get(program) ?? postgres.port,
    sideListeners: [{ port: workersSide, advertisedPort: kafka.port }],
    clear() {
      breakpoints.clear();
      for (const proxy of opened) proxy.set({});
      for (const provider of Object.values(providers)) provider.setMode('comes');
    },
    async close() {
      await Promise.all(opened.map((proxy) => proxy.close()));
    },
  };
}

function createProxyOpener(): {
  readonly opened: readonly TcpProxy[];
  open(targetPort: () => number, createFilter?: () => Filter): Promise<OpenedProxy>;
} {
  const random = randomFrom(1);
  const opened: TcpProxy[] = [];
  return {
    opened,
    async open(targetPort, createFilter) {
      const [port = 0] = await freePorts(1);
      const proxy = await startTcpProxy({
        port,
        targetPort,
        random,
        ...(createFilter !== undefined && { createFilter }),
      });
      opened.push(proxy);
      return { port, proxy };
    },
  };
}

function watchStatementsOf(service: string, breakpoints: Breakpoints): Filter {
  return watchStatements({
    request: (text) => breakpoints.pass({ service, of: 'postgres', at: 'request', text }),
    answer: (text) => breakpoints.pass({ service, of: 'postgres', at: 'answer', text }),
  });
}
