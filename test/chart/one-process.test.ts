import { describe, expect, test } from '@jest/globals';
import { egressConfigs } from '@tidings/egress';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  CHART_DIR,
  readCases,
  rejectionMessage,
  render,
  renderNotes,
  type Manifest,
  type Values,
} from '@tidings/tools/helm';
import { listWorkloads, type Workload } from './support/workloads.ts';

const file = (name: string): string => String(readCases().get(name));
const rendered = (name: string, over?: Values): readonly Manifest[] => render(file(name), over);
const find = (manifests: readonly Manifest[], component: string): Workload | undefined =>
  listWorkloads(manifests).find((workload) => workload.component === component);
const variables = (
  manifests: readonly Manifest[],
  component: string,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    (find(manifests, component)?.pod.containers[0]?.env ?? []).map(({ name, value }) => [
      name,
      value ?? 'from a Secret',
    ]),
  );
const namesOf = (manifests: readonly Manifest[], kind: string): readonly string[] =>
  manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);

const one = rendered('one-process');
const PORTS = [25, 443, 465, 587, 2525, 8443];

describe('one process', () => {
  test('is the only Deployment: one pod that is replaced, not rolled over', () => {
    const deployment = find(one, 'all')?.manifest['spec'] as
      | { readonly replicas: number; readonly strategy: unknown }
      | undefined;

    expect(namesOf(one, 'Deployment')).toEqual(['try-tidings-all']);
    expect(deployment).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    for (const kind of ['PodDisruptionBudget', 'HorizontalPodAutoscaler', 'ScaledObject'])
      expect(
        namesOf(rendered('one-process', { defaults: { autoscaling: { enabled: true } } }), kind),
      ).toEqual([]);
  });

  test('starts without its workers and automations after a restore', () => {
    const env = { WORKERS: false, AUTOMATIONS_PAUSED: true };
    const restored = rendered('one-process', { oneProcess: { env } });

    expect(variables(restored, 'all')).toMatchObject({
      WORKERS: 'false',
      AUTOMATIONS_PAUSED: 'true',
    });
  });

  test('has the log in Postgres, and neither Kafka nor Redis', () => {
    const ofAll = variables(one, 'all');

    expect(ofAll).toMatchObject({ BUS: 'postgres', DATABASE_POOL_MAX: '20' });
    expect(variables(one, 'preparation')).toMatchObject({ BUS: 'postgres' });
    expect(
      ['all', 'preparation'].flatMap((component) =>
        Object.keys(variables(one, component)).filter((name) => /^(KAFKA|REDIS)_/.test(name)),
      ),
    ).toEqual([]);
  });

  test('may have both', () => {
    const env = variables(
      rendered('one-process', {
        bus: 'kafka',
        kafka: { brokers: 'kafka:9092' },
        redis: { existingSecret: { name: 'tidings-redis' } },
      }),
      'all',
    );

    expect(env).toMatchObject({
      BUS: 'kafka',
      KAFKA_BROKERS: 'kafka:9092',
      REDIS_URL: 'from a Secret',
      RATE_SHARE_REPLICAS: '1',
      SEND_RATE_SHARE_REPLICAS: '1',
    });
  });

  test('gets every public route', () => {
    const { routes } = parse(readFileSync(join(CHART_DIR, 'values.yaml'), 'utf8')) as {
      readonly routes: readonly { readonly path: string }[];
    };
    const backends = (manifests: readonly Manifest[], kind: string): string =>
      JSON.stringify(manifests.find((each) => each.kind === kind)?.['spec']);
    const gateway = rendered('one-process', {
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
    });

    expect(namesOf(one, 'Service')).toEqual(['try-tidings-all']);
    for (const kind of ['Ingress', 'HTTPRoute'])
      expect(
        [...backends(gateway, kind).matchAll(/"name":"(try-tidings-[^"]*)"/g)].map(
          ([, name]) => name,
        ),
      ).toEqual(routes.map(() => 'try-tidings-all'));
    expect(variables(one, 'test')).toMatchObject({
      GATEWAY_URL: 'http://try-tidings-all',
      API_URL: 'http://try-tidings-all',
      TRY_CAMPAIGN: 'true',
    });
  });

  test('may reach every kind of provider, and the private networks of each purpose', () => {
    const networks = Object.fromEntries(
      Object.keys(egressConfigs).map((purpose, index) => [purpose, [`10.${index + 50}.0.0/16`]]),
    );
    const manifests = rendered('one-process', { egress: { networks } });
    const policy = JSON.stringify(
      manifests.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'try-tidings-all',
      ),
    );

    for (const [purpose, [network]] of Object.entries(networks)) {
      expect(variables(manifests, 'all')).toMatchObject({
        [`EGRESS_${purpose.toUpperCase()}_NETWORKS`]: network,
      });
      expect(policy).toContain(`"cidr":"${network}"`);
    }
    for (const port of PORTS) expect(policy).toContain(`"port":${port},"protocol":"TCP"`);
  });

  test('in the evaluation needs Postgres alone', () => {
    const names = (over: Values): readonly string[] =>
      namesOf(rendered('one-process-evaluation', over), 'StatefulSet');

    expect(names({})).toEqual(['try-tidings-postgres']);
    expect(names({ bus: 'kafka' })).toEqual(['try-tidings-postgres', 'try-tidings-kafka']);
    expect(names({ moveBus: { to: 'kafka' } })).toEqual([
      'try-tidings-postgres',
      'try-tidings-kafka',
    ]);
    expect(names({ oneProcess: { enabled: false }, bus: 'postgres' })).toEqual([
      'try-tidings-postgres',
      'try-tidings-valkey',
    ]);
  });

  test('is what the notes name', () => {
    const notes = renderNotes(file('one-process-evaluation'));

    expect(notes).toContain(
      'exec deployment/try-tidings-all -- node deploy/install/src/setup-link.ts',
    );
    expect(notes).toContain('port-forward service/try-tidings-all 8080:80');
    expect(notes).toContain('curl -s http://localhost:8080/ -H');
    expect(notes).not.toContain('try-tidings-gateway');
  });
});

describe('services on Postgres', () => {
  const over = { bus: 'postgres', kafka: { brokers: '' } };

  test('need no Kafka', () => {
    const manifests = rendered('cpu-autoscaling', over);

    for (const component of ['gateway', 'campaigns', 'worker-sms', 'preparation'])
      expect(variables(manifests, component)).toMatchObject({ BUS: 'postgres' });
    expect(JSON.stringify(manifests)).not.toContain('KAFKA_');
  });

  test('are on Kafka by default', () => {
    expect(variables(rendered('cpu-autoscaling'), 'gateway')).toMatchObject({
      BUS: 'kafka',
      KAFKA_BROKERS: 'kafka:9092',
    });
  });
});

describe('the Job that moves the records', () => {
  test('is there only when a bus is named', () => {
    expect(namesOf(one, 'Job')).toHaveLength(1);
    expect(find(one, 'move-bus')).toBeUndefined();
  });

  test('knows both buses, while everything else stays on the present one', () => {
    const manifests = rendered('moving-to-kafka');

    expect(find(manifests, 'move-bus')?.pod.containers[0]?.command?.at(-1)).toBe(
      'deploy/install/src/move-bus.ts',
    );
    expect(variables(manifests, 'move-bus')).toMatchObject({
      BUS: 'postgres',
      MOVE_TO: 'kafka',
      KAFKA_BROKERS: 'kafka:9092',
      TOPIC_REPLICATION_FACTOR: '3',
      DATABASE_URL: 'from a Secret',
    });
    for (const component of ['all', 'preparation'])
      expect(variables(manifests, component)).toMatchObject({ BUS: 'postgres' });
    expect(namesOf(manifests, 'NetworkPolicy')).toContain('try-tidings-move-bus');
  });

  test('moves back too', () => {
    const env = variables(rendered('cpu-autoscaling', { moveBus: { to: 'postgres' } }), 'move-bus');

    expect(env).toMatchObject({ BUS: 'kafka', MOVE_TO: 'postgres', KAFKA_BROKERS: 'kafka:9092' });
  });

  test('is another Job the other way', () => {
    const jobs = [
      rendered('cpu-autoscaling', { moveBus: { to: 'postgres' } }),
      rendered('moving-to-kafka'),
    ].map((manifests) => find(manifests, 'move-bus')?.manifest.metadata.name);

    expect(new Set(jobs).size).toBe(2);
  });
});

test.each<[string, string, Values, string]>([
  [
    'a bus that the release has already',
    'one-process',
    { moveBus: { to: 'postgres' } },
    'moveBus.to is postgres, the bus of this release',
  ],
  [
    'a move without Kafka',
    'one-process',
    { moveBus: { to: 'kafka' } },
    'No Kafka: set kafka.brokers',
  ],
  ['Kafka without brokers', 'one-process', { bus: 'kafka' }, 'No Kafka: set kafka.brokers'],
  [
    'services without Redis',
    'one-process',
    { oneProcess: { enabled: false }, bus: 'postgres' },
    'No Redis: set redis.existingSecret.name',
  ],
  [
    'lag of Kafka without Kafka',
    'external-secrets',
    { bus: 'postgres' },
    'keda.enabled scales by the lag on Kafka, but bus is postgres',
  ],
  [
    'a restricted role of a process that needs all rights',
    'one-process',
    { database: { publicExistingSecret: { name: 'tidings-public' } } },
    'leave database.publicExistingSecret.name empty',
  ],
  [
    'events that are kept for a shorter time than their receipts',
    'one-process',
    { oneProcess: { env: { EVENT_RETENTION_DAYS: 9 } } },
    'oneProcess.env.EVENT_RETENTION_DAYS is 9, less than RETENTION_DAYS (30)',
  ],
  [
    'several pods of one process',
    'one-process',
    { oneProcess: { replicas: 2 } },
    "additional properties 'replicas' not allowed",
  ],
  [
    'an unknown bus',
    'one-process',
    { bus: 'redis' },
    "value must be one of '', 'kafka', 'postgres'",
  ],
])('rejects %s', (_what, name, over, sentence) => {
  expect(rejectionMessage(file(name), over).replaceAll(/\s+/g, ' ')).toContain(sentence);
});
