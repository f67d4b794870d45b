import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { ONE_PROCESS, ROOT_DIR } from '@tidings/local';
import { startBalancer, type Balancer } from './balancer.ts';
import { startDeliveryRig, type DeliveryRig } from './delivery-rig.ts';
import type { RigStart } from './rig.ts';
import type { Version } from './version.ts';

/** Services with HTTP, behind a stable address. */
export const BALANCED = ['gateway', 'client-api', 'api'] as const;
export type BalancedService = (typeof BALANCED)[number];

/** Every service of an installation of any version. */
const ALL_SERVICES: readonly string[] = [
  ...BALANCED,
  'users-consumer',
  'events-consumer',
  'campaigns',
  'webhooks',
  'scheduler',
  ...CHANNELS.map(workerName),
];

/** 0.1.0 has none, and it would not start from there. */
const SINCE_0_2 = ['automation-engine'];

const knows = (version: Version | undefined, service: string): boolean =>
  existsSync(join(version?.rootDir() ?? ROOT_DIR, 'services', service));

/** A complete installation with one stable address per HTTP service. */
export type RollingRig = DeliveryRig & {
  /** Names of the processes that answer pushes and batches. */
  readonly gateways: readonly string[];
  readonly balancers: Readonly<Record<BalancedService, Balancer>>;
};

/**
 * After becoming not ready, a process accepts requests for this long, until its balancer notices.
 */
const DRAIN_WAIT_MS = 1_000;

/** Name of the process started beside another of its kind. */
export const successorOf = (name: string): string => `${name}-2`;

export async function startRollingRig({ env, ...start }: RigStart): Promise<RollingRig> {
  const balancers = {
    gateway: await startBalancer(),
    'client-api': await startBalancer(),
    api: await startBalancer(),
  };
  const closeBalancers = async (): Promise<void> =>
    void (await Promise.all(Object.values(balancers).map((balancer) => balancer.close())));
  const nameOf = (service: BalancedService): string =>
    start.processes === undefined ? service : ONE_PROCESS;
  const drains = BALANCED.flatMap((service) =>
    [nameOf(service), successorOf(nameOf(service))].map(
      (name) => [name, { DRAIN_WAIT_MS: String(DRAIN_WAIT_MS) }] as const,
    ),
  );
  const rig = await startDeliveryRig({
    ...start,
    services: [...ALL_SERVICES, ...SINCE_0_2.filter((service) => knows(start.version, service))],
    instanceEnv: new Map(drains),
    // Provider callbacks use the same address as devices.
    env: { ...env, PUBLIC_BASE_URL: balancers['client-api'].url },
  }).catch(async (error: unknown) => {
    await closeBalancers();
    throw error;
  });
  for (const service of BALANCED) {
    balancers[service].instances[nameOf(service)] = rig.tidings.serviceUrl(service);
    balancers[service].watch(rig.supervisor);
  }
  const stop = rig.stop.bind(rig);
  return Object.assign(rig, {
    balancers,
    gateways: [nameOf('gateway'), successorOf(nameOf('gateway'))],
    gatewayUrl: balancers.gateway.url,
    async stop() {
      await closeBalancers();
      await stop();
    },
  });
}
