import { expect, test, describe } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART_DIR, readCases, render, type Manifest } from '@tidings/tools/helm';
import type { Container, EnvVariable, PodSpec } from './support/workloads.ts';

/** A service or worker of the values. */
type Entry = {
  readonly http?: boolean;
  readonly needs?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string | number>>;
  readonly resources?: Container['resources'];
  readonly replicas?: number;
  readonly replicasMax: number;
  readonly autoscaling?: { readonly enabled: boolean };
  readonly drain?: { readonly deadlineSeconds: number };
  readonly egressPorts?: readonly number[];
  readonly concurrency?: number;
  readonly ratePerSecond?: number;
  readonly consumes?: {
    readonly group: string;
    readonly topics: Readonly<Record<string, { readonly lagPerPod: number }>>;
  };
  readonly ages?: Readonly<Record<string, { readonly secondsPerPod: number }>>;
};
type Entries = Readonly<Record<string, Entry>>;
type FileOfValues = { readonly services: Entries; readonly workers: Entries };
type Deployment = {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy: unknown;
    readonly template: { readonly metadata: unknown; readonly spec: PodSpec };
  };
};
type Policy = {
  readonly spec: { readonly ingress: readonly object[]; readonly egress: readonly object[] };
};
type Trigger = { readonly metadata: object };
type Scaled = { readonly spec: { readonly triggers: readonly Trigger[] } };

const PRODUCTION = String(readCases().get('production'));
const WORKER = 'worker-email';
const MANIFESTS = render(PRODUCTION);
const readValues = (file: string): FileOfValues =>
  parse(readFileSync(file, 'utf8'), { merge: true }) as FileOfValues;
const defaults = readValues(join(CHART_DIR, 'values.yaml'));
const ofProduction = readValues(PRODUCTION);
const entriesOf = (part: keyof FileOfValues, prefix: string): (readonly [string, Entry])[] =>
  Object.entries(defaults[part]).map(([name, entry]) => [
    `${prefix}${name}`,
    { ...entry, ...ofProduction[part][name] },
  ]);
const COMPONENTS = [...entriesOf('services', ''), ...entriesOf('workers', 'worker-')];

const REPLICAS = 2;
const DRAIN_SECONDS = 40;
const PRE_STOP_SECONDS = 5;
const RESOURCES = { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } };
const LABELS = { 'app.kubernetes.io/name': 'tidings', 'app.kubernetes.io/instance': 'try' };
const labelsOf = (component: string) => ({ ...LABELS, 'app.kubernetes.io/component': component });
const find = (kind: string, component: string): Manifest | undefined =>
  MANIFESTS.find(
    (manifest) => manifest.kind === kind && manifest.metadata.name === `try-tidings-${component}`,
  );
/** That of the worker whose rendering is in `worker-email-rendered.yaml`, by another name. */
function asOfWorker<T>(kind: string, component: string): Manifest & T {
  const text = JSON.stringify(find(kind, WORKER)).replaceAll(WORKER, component);
  return JSON.parse(text) as Manifest & T;
}
const withSpec = (manifest: Manifest, spec: object): object => ({
  ...manifest,
  spec: { ...(manifest['spec'] as object), ...spec },
});

test('every object has the labels of the chart', () => {
  const { version, appVersion } = parse(
    readFileSync(join(CHART_DIR, 'Chart.yaml'), 'utf8'),
  ) as Readonly<Record<'version' | 'appVersion', string>>;

  for (const { kind, metadata } of MANIFESTS)
    expect({ kind, name: metadata.name, labels: metadata.labels }).toEqual({
      kind,
      name: metadata.name,
      labels: expect.objectContaining({
        ...labelsOf(String(metadata.labels?.['app.kubernetes.io/component'])),
        'app.kubernetes.io/version': appVersion,
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/part-of': 'tidings',
        'helm.sh/chart': `tidings-${version}`,
      }),
    });
});

test('every object belongs to a component of the values, or to the installation', () => {
  const names = COMPONENTS.map(([component]) => component);
  const ofInstallation = [
    'front-door',
    'keda',
    'metrics',
    'preparation',
    'service-account',
    'test',
  ];
  const found = MANIFESTS.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']);

  expect(new Set(found)).toEqual(new Set([...names, ...ofInstallation]));
});

describe.each(COMPONENTS)('%s', (component, entry) => {
  const isHttp = entry.http === true;
  const replicas = entry.replicas ?? REPLICAS;
  const isScaled = entry.autoscaling?.enabled !== false;
  const deadlineSeconds = entry.drain?.deadlineSeconds ?? DRAIN_SECONDS;

  test('has the pods of the worker in the rendered file, but for what its values say', () => {
    const { own, rest } = divide(find('Deployment', component) as Manifest & Deployment);

    expect(rest).toEqual(divide(asOfWorker<Deployment>('Deployment', component)).rest);
    expect(own).toEqual({
      replicas: isScaled ? undefined : replicas,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: isHttp
          ? { maxSurge: 1, maxUnavailable: 0 }
          : { maxSurge: 0, maxUnavailable: '25%' },
      },
      terminationGracePeriodSeconds: (isHttp ? PRE_STOP_SECONDS : 0) + deadlineSeconds + 5,
      command: [
        'node',
        '--disable-warning=ExperimentalWarning',
        ...(entry.nodeFlags ?? []),
        `services/${component}/src/main.ts`,
      ],
      ports: [
        ...(isHttp ? [{ name: 'http', containerPort: 8080 }] : []),
        { name: 'metrics', containerPort: 9464 },
      ],
      lifecycle: isHttp ? { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } } : undefined,
      resources: entry.resources ?? RESOURCES,
      env: variablesOf(entry, deadlineSeconds),
    });
  });

  test('may be reached, and reaches, as that worker, but for its own ports', () => {
    const policy = asOfWorker<Policy>('NetworkPolicy', component);
    const { ingress, egress } = policy.spec;
    const shared = egress.slice(0, -1);
    const fromProxies = {
      ports: [{ port: 'http', protocol: 'TCP' }],
      from: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } },
        },
        { podSelector: { matchLabels: labelsOf('test') } },
      ],
    };

    expect(find('NetworkPolicy', component)).toEqual(
      withSpec(policy, {
        ingress: [...(isHttp ? [fromProxies] : []), ...ingress],
        egress:
          entry.egressPorts === undefined
            ? shared
            : [
                ...shared,
                {
                  ...egress.at(-1),
                  ports: entry.egressPorts.map((port) => ({ port, protocol: 'TCP' })),
                },
              ],
      }),
    );
  });

  test('is scaled and evicted as its values say', () => {
    const budget = asOfWorker('PodDisruptionBudget', component);
    const isByLag = isScaled && entry.consumes !== undefined;
    const isByAge = isScaled && entry.ages !== undefined;
    const byKeda = isByAge ? scaledByAge : isByLag ? scaledByLag : undefined;

    expect(find('PodDisruptionBudget', component)).toEqual(replicas > 1 ? budget : undefined);
    expect(find('ScaledObject', component)).toEqual(byKeda?.(component, entry, replicas));
    expect(find('HorizontalPodAutoscaler', component)?.['spec']).toEqual(
      isScaled && byKeda === undefined ? scaledByCpu(component, entry, replicas) : undefined,
    );
  });

  test('has a Service if it speaks HTTP, which leads to its port alone', () => {
    expect(find('Service', component)?.['spec']).toEqual(
      isHttp
        ? {
            type: 'ClusterIP',
            selector: labelsOf(component),
            ports: [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'http' }],
          }
        : undefined,
    );
  });
});

/** What follows from a component's own values, and the rest of its Deployment. */
function divide(deployment: Manifest & Deployment): { own: object; rest: object } {
  const { replicas, strategy, template } = deployment.spec;
  const { terminationGracePeriodSeconds, containers, ...pod } = template.spec;
  const [container, ...more] = containers;
  const { command, env, ports, lifecycle, resources, ...rest } = container ?? ({} as Container);
  return {
    own: {
      replicas,
      strategy,
      terminationGracePeriodSeconds,
      command,
      ports,
      lifecycle,
      resources,
      env: byName(env),
    },
    rest: withSpec(deployment, {
      replicas: undefined,
      strategy: undefined,
      template: { ...template, spec: { ...pod, containers: [rest, ...more] } },
    }),
  };
}

function byName(env: readonly EnvVariable[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

const OF_ALL = [
  'DATABASE_POOL_MAX',
  'HEALTH_PORT',
  'LOG_LEVEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER_ARG',
  'TRUST_CALLER_TRACEPARENT',
];
test('api and gateway warn by the retention of the scheduler', () => {
  const services = { scheduler: { env: { DELIVERY_RETENTION_DAYS: 60 } } };
  const rendered = render(PRODUCTION, { services });
  const set = rendered.flatMap((manifest) => {
    if (manifest.kind !== 'Deployment') return [];
    const env = (manifest as Manifest & Deployment).spec.template.spec.containers[0]?.env ?? [];
    const days = env.find(({ name }) => name === 'DELIVERY_RETENTION_DAYS')?.value;
    return days === undefined ? [] : [[manifest.metadata.name, days]];
  });

  expect(Object.fromEntries(set)).toEqual({
    'try-tidings-api': '60',
    'try-tidings-gateway': '60',
    'try-tidings-scheduler': '60',
  });
});

/** Variables of the worker in the rendered file, by what needs them. */
const OF_NEED: Readonly<Record<string, readonly string[]>> = {
  kafka: [
    'BUS',
    'KAFKA_BROKERS',
    'KAFKA_SASL_MECHANISM',
    'KAFKA_SASL_PASSWORD',
    'KAFKA_SASL_USERNAME',
    'KAFKA_TLS',
    'KAFKA_TLS_CA',
  ],
  redis: ['REDIS_PROTOCOL', 'REDIS_URL'],
  encryption: ['ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'],
  publicBaseUrl: ['PUBLIC_BASE_URL'],
};

function variablesOf(entry: Entry, deadlineSeconds: number): Readonly<Record<string, unknown>> {
  const { needs = [], http, replicasMax, concurrency, ratePerSecond, env = {} } = entry;
  const has = (need: string): boolean => needs.includes(need);
  const shared = [
    ...OF_ALL,
    ...needs.flatMap((need) => OF_NEED[need] ?? []),
    ...(has('publicDatabase') ? [] : ['DATABASE_URL']),
  ];
  const ofWorker = divide(find('Deployment', WORKER) as Manifest & Deployment).own as {
    readonly env: Readonly<Record<string, unknown>>;
  };
  return {
    ...Object.fromEntries(shared.map((name) => [name, ofWorker.env[name]])),
    DRAIN_WAIT_MS: http === true ? '5000' : '0',
    DRAIN_DEADLINE_MS: String(deadlineSeconds * 1_000),
    ...(http === true && { PORT: '8080', HTTPS_ONLY: 'true', TRUSTED_PROXIES: '10.0.0.0/8' }),
    ...(has('publicDatabase') && {
      PUBLIC_DATABASE_URL: { secretKeyRef: { name: 'tidings-public', key: 'uri' } },
    }),
    ...(has('dashboardUrl') && { DASHBOARD_URL: 'https://tidings.example/dashboard' }),
    ...(has('rates') && { RATE_SHARE_REPLICAS: String(replicasMax) }),
    ...(has('sending') && {
      SEND_RATE_SHARE_REPLICAS: String(replicasMax),
      SEND_CONCURRENCY: String(concurrency),
      SEND_RATE_PER_SECOND: String(ratePerSecond),
    }),
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
  };
}

function scaledByLag(component: string, entry: Entry, replicas: number): object {
  const scaled = asOfWorker<Scaled>('ScaledObject', component);
  const [trigger] = scaled.spec.triggers;
  const topics = Object.entries(entry.consumes?.topics ?? {});
  return withSpec(scaled, {
    minReplicaCount: replicas,
    maxReplicaCount: entry.replicasMax,
    triggers: topics.toSorted().map(([topic, { lagPerPod }]) => ({
      ...trigger,
      name: topic.replaceAll('.', '-'),
      metadata: {
        ...trigger?.metadata,
        consumerGroup: entry.consumes?.group,
        topic,
        lagThreshold: String(lagPerPod),
        allowIdleConsumers: String(topics.length > 1),
      },
    })),
  });
}

function scaledByAge(component: string, entry: Entry, replicas: number): object {
  return withSpec(asOfWorker<Scaled>('ScaledObject', component), {
    minReplicaCount: replicas,
    maxReplicaCount: entry.replicasMax,
    advanced: { horizontalPodAutoscalerConfig: { behavior: BEHAVIOR } },
    triggers: Object.entries(entry.ages ?? {}).map(([metric, { secondsPerPod }]) => ({
      type: 'prometheus',
      name: metric.replaceAll('_', '-'),
      metadata: {
        serverAddress: 'http://prometheus.monitoring:9090',
        query: `max(${metric}{namespace="trial"})`,
        threshold: String(secondsPerPod),
      },
    })),
  });
}

/** Of a service whose pods may come and go without a cost to others. */
const BEHAVIOR = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Percent', value: 50, periodSeconds: 60 },
      { type: 'Pods', value: 1, periodSeconds: 60 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
  },
};

function scaledByCpu(component: string, entry: Entry, replicas: number): object {
  return {
    scaleTargetRef: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: `try-tidings-${component}`,
    },
    minReplicas: replicas,
    maxReplicas: entry.replicasMax,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
      },
    ],
    behavior: BEHAVIOR,
  };
}
