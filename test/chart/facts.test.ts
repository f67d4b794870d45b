import { POSTGRES_LOG } from '@tidings/local';
import { describe, expect, test } from '@jest/globals';
import { CHANNELS, CHANNEL_SLUGS } from '@tidings/contracts/channels/channels';
import { TOPIC_SPECS, workerName } from '@tidings/contracts/topics';
import { createRouter } from '@tidings/api-spec/public-routes';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART_DIR, readCases, render, type Manifest, type Values } from '@tidings/tools/helm';
import { listWorkloads } from './support/workloads.ts';

type Consumer = {
  readonly consumes?: {
    readonly group: string;
    readonly topics: Readonly<Record<string, { readonly partitions: number }>>;
  };
  readonly ages?: Readonly<Record<string, unknown>>;
  readonly drain?: { readonly deadlineSeconds: number };
};
const values = parse(readFileSync(join(CHART_DIR, 'values.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Consumer>>;
  readonly workers: Readonly<Record<string, Consumer>>;
  readonly routes: readonly { readonly path: string; readonly service: string }[];
};
const rendered = (name: string, over?: Values): readonly Manifest[] =>
  render(String(readCases().get(name)), over);
const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
const variable = (
  manifests: readonly Manifest[],
  component: string,
  name: string,
): string | undefined =>
  listWorkloads(manifests)
    .find((workload) => workload.component === component)
    ?.pod.containers[0]?.env?.find((entry) => entry.name === name)?.value;

describe('the chart matches the code', () => {
  test('consumers, topics and partitions equal those of the contracts', () => {
    const consumed = [...Object.values(values.services), ...Object.values(values.workers)].flatMap(
      ({ consumes }) => Object.entries(consumes?.topics ?? {}),
    );
    const partitions = new Map(TOPIC_SPECS.map((spec) => [spec.topic, spec.partitions]));

    expect(
      consumed.filter(([topic, settings]) => partitions.get(topic) !== settings.partitions),
    ).toEqual([]);
    expect(new Set(consumed.map(([topic]) => topic))).toEqual(new Set(partitions.keys()));
  });

  test('there is a worker for each channel, in the group by its name', () => {
    const groups = Object.entries(values.workers).map(([slug, { consumes }]) => [
      slug,
      consumes?.group,
    ]);

    expect(groups.sort()).toEqual(
      CHANNELS.map((channel) => [CHANNEL_SLUGS[channel], workerName(channel)]).sort(),
    );
  });
});

describe('the public routes', () => {
  const ingress = find(rendered('production'), 'Ingress', 'try-tidings') as
    | {
        readonly spec?: {
          readonly rules: readonly {
            readonly host: string;
            readonly http: {
              readonly paths: readonly {
                readonly path: string;
                readonly pathType: string;
                readonly backend: {
                  readonly service: { readonly name: string; readonly port: unknown };
                };
              }[];
            };
          }[];
        };
      }
    | undefined;
  const route = find(rendered('gateway-api'), 'HTTPRoute', 'messages') as
    | {
        readonly spec?: {
          readonly hostnames: readonly string[];
          readonly rules: readonly {
            readonly matches: readonly {
              readonly path: { readonly type: string; readonly value: string };
            }[];
            readonly backendRefs: readonly { readonly name: string }[];
          }[];
        };
      }
    | undefined;
  const ingressPaths =
    ingress?.spec?.rules[0]?.http.paths.map(({ path, backend }) => ({
      path,
      service: backend.service.name.replace('try-tidings-', ''),
    })) ?? [];
  const routePaths =
    route?.spec?.rules.map(({ matches, backendRefs }) => ({
      path: matches[0]?.path.value ?? '',
      service: backendRefs[0]?.name.replace('messages-', '') ?? '',
    })) ?? [];

  test.each([
    ['Ingress', ingressPaths],
    ['HTTPRoute', routePaths],
  ])('%s has the routes of `npm start`', (_kind, paths) => {
    expect(paths).toEqual(values.routes);
    for (const url of [
      '/',
      '/push',
      '/api/v1/campaigns',
      '/sdk/v1/sdk.js',
      '/cb/email/dsn',
      '/nowhere',
      '/apis',
    ])
      expect(createRouter(paths)(url)).toBe(createRouter(values.routes)(url));
  });

  test('routes the host of the public URL, path by path', () => {
    const paths = ingress?.spec?.rules[0]?.http.paths ?? [];

    expect(ingress?.spec?.rules.map(({ host }) => host)).toEqual(['tidings.example']);
    expect(
      paths.map(({ pathType, backend }) => ({ pathType, port: backend.service.port })),
    ).toEqual(paths.map(() => ({ pathType: 'Prefix', port: { name: 'http' } })));
    expect(route?.spec?.hostnames).toEqual(['tidings.example']);
  });

  test('end TLS at the Ingress, by its class and annotations', () => {
    expect(ingress).toMatchObject({
      metadata: {
        annotations: {
          'cert-manager.io/cluster-issuer': 'letsencrypt',
          'nginx.ingress.kubernetes.io/proxy-body-size': '8m',
        },
      },
      spec: {
        ingressClassName: 'nginx',
        tls: [{ secretName: 'try-tidings-tls', hosts: ['tidings.example'] }],
      },
    });
  });
});

describe('the address of the dashboard', () => {
  test.each<[string, Values, string]>([
    ['is below the public address', {}, 'https://tidings.example/dashboard'],
    [
      'is that of the values, without a slash at its end',
      { dashboardUrl: 'https://console.example/' },
      'https://console.example',
    ],
  ])('%s, for the gateway and for api', (_what, over, url) => {
    const manifests = rendered('production', over);

    expect(
      ['gateway', 'api', 'client-api'].map((component) =>
        variable(manifests, component, 'DASHBOARD_URL'),
      ),
    ).toEqual([url, url, undefined]);
  });
});

describe('plain HTTP', () => {
  const HTTP_SERVICES = ['api', 'client-api', 'gateway'];
  test.each<[string, string, Values, string]>([
    ['is not processed where the address is https', 'production', {}, 'true'],
    ['is processed by the evaluation, which a port-forward leads to', 'evaluation', {}, 'false'],
    [
      'is processed where the address is http',
      'cpu-autoscaling',
      { publicBaseUrl: 'http://tidings.example' },
      'false',
    ],
    ['is processed where the values say so', 'production', { httpsOnly: false }, 'false'],
    ['is not processed where the values say so', 'production', { httpsOnly: true }, 'true'],
    [
      'is decided by the address where the values leave it open',
      'production',
      { httpsOnly: null },
      'true',
    ],
  ])('%s', (_what, name, over, value) => {
    const manifests = rendered(name, over);
    const all = listWorkloads(manifests).flatMap(({ component }) =>
      variable(manifests, component, 'HTTPS_ONLY') === undefined ? [] : [component],
    );

    expect(all.sort()).toEqual(HTTP_SERVICES);
    expect(HTTP_SERVICES.map((component) => variable(manifests, component, 'HTTPS_ONLY'))).toEqual(
      HTTP_SERVICES.map(() => value),
    );
  });
});

describe('shares of rates', () => {
  test('follow from replicasMax', () => {
    const manifests = rendered('production', { workers: { sms: { replicasMax: 6 } } });

    expect(variable(manifests, 'gateway', 'RATE_SHARE_REPLICAS')).toBe('12');
    expect(variable(manifests, 'client-api', 'RATE_SHARE_REPLICAS')).toBe('4');
    expect(variable(manifests, 'worker-sms', 'SEND_RATE_SHARE_REPLICAS')).toBe('6');
    expect(find(manifests, 'HorizontalPodAutoscaler', 'try-tidings-gateway')).toMatchObject({
      spec: { maxReplicas: 12 },
    });
  });
});

describe('scaling', () => {
  type Scaled = {
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly fallback: { readonly replicas: number };
    readonly triggers: readonly {
      readonly authenticationRef?: { readonly name: string };
      readonly metadata: Readonly<Record<string, string>>;
    }[];
  };
  const manifests = rendered('production');
  const scaled = manifests
    .filter(({ kind }) => kind === 'ScaledObject')
    .map(({ metadata, spec }) => ({ name: metadata.name, spec: spec as Scaled }));

  test('scaling has a trigger for each topic of a consumer and each age, and no other', () => {
    const email = scaled.find(({ name }) => name === 'try-tidings-worker-email');
    const triggers = scaled.flatMap(({ spec }) =>
      spec.triggers.map(
        ({ metadata }) => metadata['query'] ?? `${metadata['consumerGroup']} ${metadata['topic']}`,
      ),
    );

    expect(email?.spec.triggers.map(({ metadata }) => metadata['topic']).sort()).toEqual([
      'dispatch.email.bulk',
      'dispatch.email.express',
    ]);
    expect(new Set(triggers)).toEqual(
      new Set(
        Object.values({ ...values.services, ...values.workers }).flatMap(
          ({ consumes, ages = {} }) => [
            ...Object.keys(consumes?.topics ?? {}).map((topic) => `${consumes?.group} ${topic}`),
            ...Object.keys(ages).map((metric) => `max(${metric}{namespace="trial"})`),
          ],
        ),
      ),
    );
  });

  test('ages are those of a Prometheus; without its address their service is scaled by CPU', () => {
    const ages = Object.keys(values.services['automation-engine']?.ages ?? {});
    const sources = readFileSync(
      join(CHART_DIR, '../../services/automation-engine/src/metrics.ts'),
      'utf8',
    );
    const without = rendered('production', { keda: { prometheusUrl: '' } });
    const name = 'try-tidings-automation-engine';

    expect(ages.filter((metric) => !sources.includes(`name: '${metric}'`))).toEqual([]);
    expect(find(without, 'ScaledObject', name)).toBeUndefined();
    expect(find(without, 'HorizontalPodAutoscaler', name)).toMatchObject({
      spec: { maxReplicas: 4 },
    });
  });

  test('uses the Kafka credentials of the services', () => {
    const first = scaled.find(({ name }) => name === 'try-tidings-campaigns');
    const account = find(
      manifests,
      'TriggerAuthentication',
      first?.spec.triggers[0]?.authenticationRef?.name ?? '',
    );

    expect(first?.spec.triggers[0]?.metadata).toMatchObject({
      bootstrapServers: 'kafka-0.example:9094,kafka-1.example:9094',
      sasl: 'scram_sha512',
      tls: 'enable',
      offsetResetPolicy: 'earliest',
    });
    expect(account?.['spec']).toEqual({
      secretTargetRef: [
        { parameter: 'username', name: 'tidings-kafka', key: 'username' },
        { parameter: 'password', name: 'tidings-kafka', key: 'password' },
        { parameter: 'ca', name: 'tidings-kafka', key: 'ca.crt' },
      ],
    });
  });

  test('stays within the replica limits, even while the lag is unknown', () => {
    const outside = scaled.filter(
      ({ spec }) =>
        spec.minReplicaCount < 1 ||
        spec.fallback.replicas < spec.minReplicaCount ||
        spec.fallback.replicas > spec.maxReplicaCount,
    );

    expect(outside).toEqual([]);
  });

  test('leaves replicas to the autoscaler, except for the scheduler', () => {
    const fixed = manifests.flatMap(({ kind, metadata, spec }) =>
      kind === 'Deployment' && 'replicas' in (spec as object)
        ? [[metadata.name, (spec as { readonly replicas: number }).replicas]]
        : [],
    );

    expect(fixed).toEqual([['try-tidings-scheduler', 1]]);
  });

  test('without KEDA scales by CPU, consumers slowly', () => {
    const autoscalers = rendered('cpu-autoscaling').filter(
      ({ kind }) => kind === 'HorizontalPodAutoscaler',
    );
    const behaviorOf = (name: string): unknown =>
      autoscalers.find(({ metadata }) => metadata.name === name)?.['spec'];

    expect(autoscalers).toHaveLength(8 + CHANNELS.length);
    expect(behaviorOf('try-tidings-gateway')).toMatchObject({
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    });
    expect(behaviorOf('try-tidings-worker-sms')).toMatchObject({
      behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
    });
  });
});

describe('the Job that prepares the stores', () => {
  const jobName = (over: Values): string | undefined =>
    rendered('cpu-autoscaling', over).find(({ kind }) => kind === 'Job')?.metadata.name;

  test('is not a hook, and has a new name when its content changes', () => {
    const first = jobName({});
    const job = rendered('cpu-autoscaling').find(({ kind }) => kind === 'Job');

    expect(job?.metadata.annotations).toBeUndefined();
    expect(jobName({ services: { gateway: { replicas: 4 } } })).toBe(first);
    expect(jobName({ image: { tag: '2.0.0' } })).not.toBe(first);
    expect(jobName({ kafka: { topics: { replicationFactor: 5 } } })).not.toBe(first);
  });

  test('uses a replication factor of 1 with one broker', () => {
    expect(variable(rendered('evaluation'), 'preparation', 'TOPIC_REPLICATION_FACTOR')).toBe('1');
    expect(variable(rendered('production'), 'preparation', 'TOPIC_REPLICATION_FACTOR')).toBe('3');
  });
});

describe('a channel', () => {
  test('that is disabled has no objects', () => {
    const others = CHANNELS.filter((channel) => channel !== 'EMAIL');
    const manifests = rendered('one-channel', {
      workers: Object.fromEntries(
        others.map((channel) => [CHANNEL_SLUGS[channel], { enabled: false }]),
      ),
    });

    expect(
      listWorkloads(manifests)
        .filter(({ component }) => component.startsWith('worker-'))
        .map(({ component }) => component),
    ).toEqual(['worker-email']);
    expect(manifests.filter(({ metadata }) => metadata.name.includes('worker-sms'))).toEqual([]);
    expect(variable(manifests, 'test', 'TRY_CAMPAIGN')).toBe('false');
  });

  test('has its own concurrency and rate', () => {
    const manifests = rendered('production');

    expect([
      variable(manifests, 'worker-email', 'SEND_CONCURRENCY'),
      variable(manifests, 'worker-email', 'SEND_RATE_PER_SECOND'),
    ]).toEqual(['72', '100']);
    expect(variable(manifests, 'worker-sms', 'SEND_CONCURRENCY')).toBe('20');
  });

  test('sends more e-mail than other messages at a time by default', () => {
    const manifests = rendered('one-channel');

    expect(variable(manifests, 'worker-email', 'SEND_CONCURRENCY')).toBe('50');
  });
});

test('External Secrets create every named Secret with all keys', () => {
  const manifests = rendered('external-secrets');
  const made = new Set(
    manifests
      .filter(({ kind }) => kind === 'ExternalSecret')
      .flatMap(({ metadata, spec }) =>
        (spec as { data: readonly { secretKey: string }[] }).data.map(
          ({ secretKey }) => `${metadata.name} ${secretKey}`,
        ),
      ),
  );
  const read = listWorkloads(manifests).flatMap(({ pod }) =>
    pod.containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef === undefined
          ? []
          : [`${valueFrom.secretKeyRef.name} ${valueFrom.secretKeyRef.key}`],
      ),
    ),
  );

  expect(new Set(read)).toEqual(made);
});

/** The same in all forms that start a Postgres; in alphabetical order. */
const LOG_SETTINGS = Object.entries(POSTGRES_LOG)
  .map(([name, value]) => `${name}=${value}`)
  .toSorted();

test('the Postgres of the evaluation has the settings of the values, also those of an operator', () => {
  const settings = { shared_buffers: '1GB', max_connections: 400 };
  const args = (over?: Values) =>
    listWorkloads(rendered('evaluation', over)).find(({ component }) => component === 'postgres')
      ?.pod.containers[0]?.args;

  expect(args()).toEqual(
    expect.arrayContaining(['shared_buffers=128MB', 'checkpoint_timeout=15min']),
  );
  expect(args({ evaluation: { postgres: { settings } } })?.slice(-2 * 8)).toEqual(
    [
      'checkpoint_timeout=15min',
      ...LOG_SETTINGS,
      'max_connections=400',
      'max_wal_size=1GB',
      'shared_buffers=1GB',
      'wal_compression=lz4',
    ].flatMap((setting) => ['-c', setting]),
  );
});

test('evaluation mode uses official images, one pod each, and keeps its passwords in a Secret', () => {
  const manifests = rendered('evaluation');
  const images = listWorkloads(manifests)
    .filter(({ manifest }) => manifest.kind === 'StatefulSet')
    .map(({ pod }) => pod.containers[0]?.image.replace(/:.*/, ''));

  expect(images.sort()).toEqual([
    'docker.io/apache/kafka',
    'docker.io/library/postgres',
    'docker.io/valkey/valkey',
  ]);
  expect(
    manifests.filter(
      ({ kind, spec }) => kind === 'Deployment' && (spec as { replicas: number }).replicas !== 1,
    ),
  ).toEqual([]);
});
