import { expect, test } from '@jest/globals';
import { databaseConfig } from '@tidings/postgres/database';
import { encryptionConfig, processConfig } from '@tidings/platform';
import { fieldsOf } from '../generated/configuration-table.ts';
import { readCases, rejectionMessage, render, type Values } from './support/helm.ts';

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
    'No encryption key: make a Secret (kubectl create secret generic tidings-encryption',
  ],
  ['no address', { publicBaseUrl: '' }, 'No address: set publicBaseUrl'],
  [
    'stores beside those of the evaluation',
    { evaluation: { enabled: true } },
    'evaluation.enabled makes its own Kafka',
  ],
  ['two databases', { database: { url: 'postgres://u:p@h/d' } }, 'Two databases'],
  ['two Redis', { redis: { url: 'redis://h:6379' } }, 'Two Redis'],
  [
    'an account of Kafka that no Secret has',
    { kafka: { sasl: { mechanism: 'plain' } } },
    'kafka.sasl.mechanism is plain, so set kafka.existingSecret.name',
  ],
  [
    'an authority without TLS',
    { kafka: { existingSecret: { name: 'kafka', caKey: 'ca.crt' } } },
    'kafka.tls.enabled is not: connections would not use TLS',
  ],
  [
    'more replicas in sync than there are',
    { kafka: { topics: { replicationFactor: 1 } } },
    'kafka.topics.minInsyncReplicas is 2, more than the 1 of kafka.topics.replicationFactor',
  ],
  [
    'External Secrets without a store',
    { externalSecrets: { enabled: true } },
    'externalSecrets.enabled needs externalSecrets.store.name',
  ],
  [
    'an HTTPRoute of no Gateway',
    { httpRoute: { enabled: true } },
    'httpRoute.enabled needs a Gateway: set httpRoute.parentRefs',
  ],
  [
    'callers who all look like the Ingress',
    { ingress: { enabled: true } },
    'No trusted proxies: behind an Ingress or a Gateway every request comes from it',
  ],
  [
    'callers who all look like the Gateway',
    { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
    'Set trustedProxies to the networks that its pods call from, as [10.0.0.0/8].',
  ],
  [
    'an address that nothing is taken at',
    { publicBaseUrl: 'http://tidings.example', httpsOnly: true },
    'httpsOnly processes nothing that comes by plain HTTP, but publicBaseUrl is http://tidings.example',
  ],
  [
    'a collector that no NetworkPolicy knows of',
    { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' } },
    'OTEL_EXPORTER_OTLP_ENDPOINT of api is set by the chart from other values',
  ],
  [
    'two monitors',
    { monitoring: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } },
    'Every pod would be measured twice',
  ],
  [
    'a route to a service without http',
    { routes: [{ path: '/', service: 'campaigns' }] },
    'The route / leads to campaigns, which is no service with http',
  ],
  [
    'a route to nowhere',
    { routes: [{ path: '/', service: 'gatewya' }] },
    'The route / leads to gatewya, which is no service with http',
  ],
  [
    'more pods than their most',
    { services: { gateway: { replicas: 5 } } },
    'services.gateway.replicas is 5, more than the 4 of its replicasMax',
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
    'a variable that follows from another value',
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
    'FLUSH_INTERVAL_MS of gateway stands in env and in extraEnv',
  ],
])('%s: a sentence says so', (_what, over, sentence) => {
  expect(refused(over)).toContain(sentence);
});

test('all that is missing is said at once', () => {
  const said = refused({
    database: { existingSecret: { name: '' } },
    kafka: { brokers: '' },
    publicBaseUrl: '',
  });

  expect(said).toMatch(/No database.*No Kafka.*No address/);
});

test.each([
  ['at the top', { ingres: { enabled: true } }, "additional properties 'ingres' not allowed"],
  [
    'of a service',
    { services: { gateway: { replica: 3 } } },
    "at '/services/gateway': additional properties 'replica' not allowed",
  ],
  [
    'of a channel',
    { workers: { mail: { enabled: true } } },
    "at '/workers': additional properties 'mail' not allowed",
  ],
  [
    'far down',
    { workers: { email: { resources: { limit: { memory: '1Gi' } } } } },
    "at '/workers/email/resources': additional properties 'limit' not allowed",
  ],
  [
    'a rate where nothing is sent',
    { workers: { 'in-app': { ratePerSecond: 5 } } },
    "additional properties 'ratePerSecond' not allowed",
  ],
  [
    'text for a number',
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
])('what the schema does not know is refused, %s', (_where, over, sentence) => {
  expect(refused(over)).toContain(sentence);
});

test('settings that only the scheduler reads are refused elsewhere: it would delete by their defaults', async () => {
  const shared = { ...processConfig, ...databaseConfig, ...encryptionConfig };
  const own = (await fieldsOf('scheduler'))
    .map(({ env }) => env)
    .filter((env) => !Object.values(shared).some((field) => field.env === env));
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

test('a chart that this one is part of may say more', () => {
  expect(
    render(file('cpu-autoscaling'), { global: { other: 1 }, enabled: true }).length,
  ).toBeGreaterThan(20);
});
