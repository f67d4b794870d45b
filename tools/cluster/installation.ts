import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CHART_DIR, type Values } from '../helm/helm.ts';
import type { ExternalServices } from './external-services.ts';
import type { Cluster, KubernetesObject, Pod } from './support/cluster.ts';

export const RELEASE = 'tidings';
const READY_WITHIN = '10m';
const COMPONENT = 'app.kubernetes.io/component';

/** A release of the chart. */
export interface Installation {
  readonly cluster: Cluster;
  /** Installs or upgrades, and resolves when everything is ready. */
  upgrade(over: Values): Promise<void>;
  /** Rolls back to the previous revision. */
  rollback(): Promise<void>;
  uninstall(): Promise<void>;
  /** Pods of a component, or of all, that are not terminating. */
  pods(component?: string): Promise<readonly Pod[]>;
  /** Desired number of pods per component. */
  replicas(): Promise<ReadonlyMap<string, number>>;
}

type Deployment = KubernetesObject & { readonly spec: { readonly replicas: number } };

/** `values` apply to every revision; values of an upgrade override them. */
export function describeInstallation(cluster: Cluster, values: Values): Installation {
  const selector = (component?: string): string =>
    [
      `app.kubernetes.io/instance=${RELEASE}`,
      ...(component === undefined ? [] : [`${COMPONENT}=${component}`]),
    ].join(',');
  return {
    cluster,
    upgrade: (over) =>
      withFiles([values, over], (files) =>
        cluster
          .helm([
            'upgrade',
            '--install',
            RELEASE,
            CHART_DIR,
            ...files.flatMap((file) => ['-f', file]),
            '--wait',
            '--timeout',
            READY_WITHIN,
          ])
          .then(() => undefined),
      ),
    rollback: () =>
      cluster
        .helm(['rollback', RELEASE, '--wait', '--timeout', READY_WITHIN])
        .then(() => undefined),
    uninstall: () =>
      cluster
        .helm(['uninstall', RELEASE, '--wait', '--timeout', READY_WITHIN])
        .then(() => undefined),
    pods: async (component) =>
      (await cluster.list<Pod>('pods', selector(component))).filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      ),
    replicas: async () =>
      new Map(
        (await cluster.list<Deployment>('deployments', selector())).map(({ metadata, spec }) => [
          metadata.labels?.[COMPONENT] ?? '',
          spec.replicas,
        ]),
      ),
  };
}

type ExternalStores = Pick<
  ExternalServices,
  'host' | 'databaseUrl' | 'publicDatabaseUrl' | 'kafkaBrokers' | 'redisUrl' | 'storePorts'
>;

const SECRETS = {
  database: 'outside-database',
  publicDatabase: 'outside-public-database',
  redis: 'outside-redis',
  encryption: 'outside-encryption',
} as const;

/**
 * Production style: external stores, all credentials in Secrets. Small enough for test clusters.
 */
export function productionValues(
  external: ExternalStores,
  { hasKeda }: { readonly hasKeda: boolean },
): Values {
  const small = { requests: { cpu: '10m', memory: '64Mi' } };
  const scaled = { replicas: 1, resources: small, autoscaling: { enabled: hasKeda } };
  const network = `${external.host}/32`;
  return {
    publicBaseUrl: 'http://tidings.invalid',
    database: {
      existingSecret: { name: SECRETS.database },
      publicExistingSecret: { name: SECRETS.publicDatabase },
      poolMax: 4,
    },
    kafka: {
      brokers: external.kafkaBrokers,
      topics: { replicationFactor: 1, minInsyncReplicas: 1 },
    },
    redis: { existingSecret: { name: SECRETS.redis } },
    encryption: { existingSecret: { name: SECRETS.encryption } },
    egress: { networks: { smtp: [network], sms: [network], push: [network], hooks: [network] } },
    networkPolicy: { storePorts: external.storePorts, storesTo: [{ ipBlock: { cidr: network } }] },
    // Short, so that the test sees a scale-down.
    keda: { enabled: hasKeda, scaleDownStabilizationSeconds: 15, scaleDownPeriodSeconds: 15 },
    defaults: { resources: small },
    services: { gateway: { resources: small } },
    workers: Object.fromEntries(
      ['email', 'sms', 'web-hook', 'web-push', 'app-push', 'in-app', 'on-site'].map((slug) => [
        slug,
        scaled,
      ]),
    ),
  };
}

/** Evaluation style: stores in the cluster. `stores`: images instead of the chart's own. */
export function evaluationValues(stores: Readonly<Record<string, string>>): Values {
  return {
    evaluation: {
      enabled: true,
      ...Object.fromEntries(Object.entries(stores).map(([store, image]) => [store, { image }])),
    },
  };
}

/** The Secrets that these values name. */
export function productionSecrets(external: ExternalStores): readonly KubernetesObject[] {
  const secret = (
    name: string,
    stringData: Readonly<Record<string, string>>,
  ): KubernetesObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });
  return [
    secret(SECRETS.database, { uri: external.databaseUrl }),
    secret(SECRETS.publicDatabase, { uri: external.publicDatabaseUrl }),
    secret(SECRETS.redis, { uri: external.redisUrl }),
    secret(SECRETS.encryption, {
      'encryption-key': 'a key that only this installation has ever known',
    }),
  ];
}

async function withFiles<T>(
  contents: readonly Values[],
  use: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-cluster-'));
  try {
    const files = contents.map((content, index) => {
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, stringify(content));
      return file;
    });
    return await use(files);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
