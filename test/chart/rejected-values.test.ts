import { expect, test } from '@jest/globals';
import { databaseConfig } from '@tidings/postgres/database';
import { encryptionConfig, processConfig } from '@tidings/platform';
import { readFields } from '../generated/configuration-table.ts';
import { readCases, rejectionMessage, render, type Values } from '@tidings/tools/helm';

const file = (name: string): string => String(readCases().get(name));
const refused = (over: Values, name = 'cpu-autoscaling'): string =>
  rejectionMessage(file(name), over).replaceAll(/\s+/g, ' ');

test.each([
  [
    'no database',
    { database: { existingSecret: { name: '' } } },
    'No database: set database.existingSecret.name to a Secret with the URL of a Postgres 18',
  ],
  ['no Kafka', { kafka: { brokers: '' } }, 'No Kafka: set kafka.brokers, as host:port'],
  [
    'no Redis',
    { redis: { existingSecret: { name: '' } } },
    'No Redis: set redis.existingSecret.name',
  ],
  [
    'no encryption key',
    { encryption: { existingSecret: { name: '' } } },
    'No encryption key: create a Secret (kubectl create secret generic tidings-encryption',
  ],
  ['no public URL', { publicBaseUrl: '' }, 'No public URL: set publicBaseUrl'],
  [
    'own stores in evaluation mode',
    { evaluation: { enabled: true } },
    'evaluation.enabled creates its own Kafka',
  ],
  ['two databases', { database: { url: 'postgres://u:p@h/d' } }, 'Two databases'],
  ['two Redis', { redis: { url: 'redis://h:6379' } }, 'Two Redis'],
  [
    'SASL without a Secret',
    { kafka: { sasl: { mechanism: 'plain' } } },
    'kafka.sasl.mechanism is plain, so set kafka.existingSecret.name',
  ],
  [
    'a CA without TLS',
    { kafka: { existingSecret: { name: 'kafka', caKey: 'ca.crt' } } },
    'kafka.tls.enabled is not: connections would not use TLS',
  ],
  [
    'min.insync.replicas above the replication factor',
    { kafka: { topics: { replicationFactor: 1 } } },
    'kafka.topics.minInsyncReplicas is 2, more than kafka.topics.replicationFactor (1)',
  ],
  [
    'External Secrets without a store',
    { externalSecrets: { enabled: true } },
    'externalSecrets.enabled needs externalSecrets.store.name',
  ],
  [
    'an HTTPRoute without a Gateway',
    { httpRoute: { enabled: true } },
    'httpRoute.enabled needs a Gateway: set httpRoute.parentRefs',
  ],
  [
    'an Ingress without trusted proxies',
    { ingress: { enabled: true } },
    'No trusted proxies: behind an Ingress or Gateway, all callers would seem to have its address',
  ],
  [
    'a Gateway without trusted proxies',
    { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
    'Set trustedProxies to the networks of its pods, as [10.0.0.0/8].',
  ],
  [
    'httpsOnly with an http URL',
    { publicBaseUrl: 'http://tidings.example', httpsOnly: true },
    'httpsOnly rejects plain HTTP, but publicBaseUrl, which providers call back, is http://tidings.example',
  ],
  [
    'a trace collector set by env',
    { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' } },
    'OTEL_EXPORTER_OTLP_ENDPOINT of api is set by the chart from other values',
  ],
  [
    'two monitors',
    { monitoring: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } },
    'Every pod would be scraped twice',
  ],
  [
    'a route to a service without http',
    { routes: [{ path: '/', service: 'campaigns' }] },
    'The route / names campaigns, which is not a service with http: true',
  ],
  [
    'a route to an unknown service',
    { routes: [{ path: '/', service: 'gatewya' }] },
    'The route / names gatewya, which is not a service with http: true',
  ],
  [
    'more replicas than replicasMax',
    { services: { gateway: { replicas: 5 } } },
    'services.gateway.replicas is 5, more than its replicasMax (4)',
  ],
  [
    'more workers than partitions',
    { workers: { sms: { replicasMax: 7 } } },
    'workers.sms.replicasMax is 7, but its topics have 6 partitions: the other pods would idle',
  ],
  [
    'KEDA with nothing to scale',
    { keda: { enabled: true }, defaults: { autoscaling: { enabled: false } } },
    'keda.enabled scales nothing',
  ],
  [
    'a variable that the chart sets',
    { services: { gateway: { env: { RATE_SHARE_REPLICAS: 9 } } } },
    'RATE_SHARE_REPLICAS of gateway is set by the chart from other values',
  ],
  [
    'a variable twice',
    {
      services: {
        gateway: {
          env: { FLUSH_INTERVAL_MS: 9 },
          extraEnv: [{ name: 'FLUSH_INTERVAL_MS', value: '3' }],
        },
      },
    },
    'FLUSH_INTERVAL_MS of gateway is in both env and extraEnv',
  ],
])('rejects %s with a message that says what to do', (_what, over, sentence) => {
  expect(refused(over)).toContain(sentence);
});

test('lists all problems at once', () => {
  const said = refused({
    database: { existingSecret: { name: '' } },
    kafka: { brokers: '' },
    publicBaseUrl: '',
  });

  expect(said).toMatch(/No database.*No Kafka.*No public URL/);
});

test.each([
  ['top level', { ingres: { enabled: true } }, "additional properties 'ingres' not allowed"],
  [
    'a service',
    { services: { gateway: { replica: 3 } } },
    "at '/services/gateway': additional properties 'replica' not allowed",
  ],
  [
    'a channel',
    { workers: { mail: { enabled: true } } },
    "at '/workers': additional properties 'mail' not allowed",
  ],
  [
    'a nested key',
    { workers: { email: { resources: { limit: { memory: '1Gi' } } } } },
    "at '/workers/email/resources': additional properties 'limit' not allowed",
  ],
  [
    'ratePerSecond of an inbox worker',
    { workers: { 'in-app': { ratePerSecond: 5 } } },
    "additional properties 'ratePerSecond' not allowed",
  ],
  [
    'text instead of a number',
    { services: { gateway: { replicas: 'three' } } },
    'got string, want integer',
  ],
  [
    'an address with a path',
    { publicBaseUrl: 'https://tidings.example/here' },
    "'https://tidings.example/here' does not match pattern",
  ],
  [
    'a dashboard with a query',
    { dashboardUrl: 'https://console.example/?a=b' },
    "'https://console.example/?a=b' does not match pattern",
  ],
  ['brokers without a port', { kafka: { brokers: 'kafka' } }, "'kafka' does not match pattern"],
])('the schema rejects unknown keys and wrong types: %s', (_where, over, sentence) => {
  expect(refused(over)).toContain(sentence);
});

test('rejects settings of the scheduler on other services', async () => {
  const shared = { ...processConfig, ...databaseConfig, ...encryptionConfig };
  const others = [...(await readFields('api')), ...(await readFields('campaigns'))];
  const own = (await readFields('scheduler'))
    .map(({ env }) => env)
    .filter((env) => ![...Object.values(shared), ...others].some((field) => field.env === env));
  const env = Object.fromEntries(own.map((name) => [name, 90]));

  const inEnv = refused({ services: { campaigns: { env } } });
  const inExtraEnv = refused({
    services: { gateway: { extraEnv: [{ name: 'RETENTION_DAYS', value: '90' }] } },
  });

  expect(own.length).toBeGreaterThan(5);
  for (const name of own)
    expect(inEnv).toContain(
      `${name} is a setting of the scheduler: move it from services.campaigns to services.scheduler.env.`,
    );
  expect(inExtraEnv).toContain('RETENTION_DAYS is a setting of the scheduler: move it');
  expect(
    render(file('cpu-autoscaling'), { services: { scheduler: { env } } }).length,
  ).toBeGreaterThan(20);
});

test('rejects events that are kept for a shorter time than their receipts', () => {
  const scheduler = (env: Record<string, number | string>) => ({
    services: { scheduler: { env } },
  });
  const names = 'EVENT_RETENTION_DAYS is 29, less than RETENTION_DAYS (30)';

  expect(refused(scheduler({ EVENT_RETENTION_DAYS: 29 }))).toContain(names);
  expect(refused(scheduler({ EVENT_RETENTION_DAYS: '29' }))).toContain(names);
  expect(refused(scheduler({ EVENT_RETENTION_DAYS: 59, RETENTION_DAYS: 60 }))).toContain(
    'EVENT_RETENTION_DAYS is 59, less than RETENTION_DAYS (60)',
  );
  for (const env of [
    { EVENT_RETENTION_DAYS: 0, RETENTION_DAYS: 60 },
    { EVENT_RETENTION_DAYS: 30 },
    { EVENT_RETENTION_DAYS: '100', RETENTION_DAYS: 60 },
  ])
    expect(render(file('cpu-autoscaling'), scheduler(env)).length).toBeGreaterThan(20);
});

test('accepts global values and `enabled`, which a parent chart sets', () => {
  expect(
    render(file('cpu-autoscaling'), { global: { other: 1 }, enabled: true }).length,
  ).toBeGreaterThan(20);
});
