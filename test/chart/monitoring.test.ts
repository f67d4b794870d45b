import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART_DIR, readCases, render, type Manifest, type Values } from '@tidings/tools/helm';

type Relabeling = {
  readonly sourceLabels: readonly string[];
  readonly targetLabel: string;
  readonly replacement: string;
};
type Egress = { readonly ports?: readonly { readonly port: string | number }[] };

const DASHBOARDS_DIR = join(CHART_DIR, 'files', 'dashboards');
const rendered = (name: string, over?: Values): readonly Manifest[] =>
  render(String(readCases().get(name)), over);
const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const dashboardsOf = (manifests: readonly Manifest[]): readonly Manifest[] =>
  ofKind(manifests, 'ConfigMap').filter(({ metadata }) => metadata.name.includes('-dashboard-'));

describe('Prometheus and Grafana objects', () => {
  test('alerts equal the file', () => {
    const [rule, ...others] = ofKind(rendered('production'), 'PrometheusRule');

    expect(rule?.['spec']).toEqual(
      parse(readFileSync(join(CHART_DIR, 'files', 'alerts.yaml'), 'utf8')),
    );
    expect(rule?.metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(others).toEqual([]);
  });

  test('dashboards equal the files, one ConfigMap each, with the labels for Grafana', () => {
    const found = dashboardsOf(
      rendered('production', { monitoring: { dashboards: { enabled: true } } }),
    );

    expect(found.map(({ metadata }) => metadata.name).sort()).toEqual([
      'try-tidings-dashboard-delivery',
      'try-tidings-dashboard-ingest',
      'try-tidings-dashboard-overview',
    ]);
    expect(found.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] !== '1')).toEqual(
      [],
    );
    const files = Object.assign({}, ...found.map(({ data }) => data)) as Readonly<
      Record<string, string>
    >;
    expect(Object.keys(files).sort()).toEqual(readdirSync(DASHBOARDS_DIR).sort());
    for (const [name, content] of Object.entries(files))
      expect(JSON.parse(content)).toEqual(
        JSON.parse(readFileSync(join(DASHBOARDS_DIR, name), 'utf8')),
      );
  });

  test('each has its own switch and labels', () => {
    const manifests = rendered('gateway-api');

    expect(ofKind(manifests, 'PrometheusRule')).toEqual([]);
    expect(
      dashboardsOf(manifests).map(({ metadata }) => [
        metadata.labels?.['dashboards'],
        metadata.annotations,
      ]),
    ).toEqual(Array.from({ length: 3 }, () => ['shown', { grafana_folder: 'Messages' }]));
    expect(dashboardsOf(rendered('production'))).toEqual([]);
  });

  test('these kinds are off by default', () => {
    const kinds = rendered('cpu-autoscaling').filter(({ apiVersion }) =>
      apiVersion.startsWith('monitoring.coreos.com'),
    );

    expect(kinds).toEqual([]);
  });

  test.each([
    ['PodMonitor', 'production', 'podMetricsEndpoints'],
    ['ServiceMonitor', 'gateway-api', 'endpoints'],
  ])(
    'by a %s too every component is a job by the name that dashboards look for',
    (kind, name, endpoints) => {
      const spec = ofKind(rendered(name), kind)[0]?.['spec'] as
        | Readonly<Record<string, readonly { readonly relabelings: readonly Relabeling[] }[]>>
        | undefined;
      const sought = readdirSync(DASHBOARDS_DIR).flatMap((file) =>
        [...readFileSync(join(DASHBOARDS_DIR, file), 'utf8').matchAll(/job=~\\"(.*?)\\"/g)].map(
          ([, pattern = '']) => pattern,
        ),
      );

      expect(spec?.[endpoints]?.[0]?.relabelings).toEqual([
        {
          sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'],
          targetLabel: 'job',
          replacement: 'tidings-$1',
        },
      ]);
      expect(sought.length).toBeGreaterThan(0);
      expect(
        sought.filter((pattern) => !new RegExp(`^(?:${pattern})$`).test('tidings-worker-sms')),
      ).toEqual([]);
    },
  );
});

describe('traces', () => {
  const portsOf = (
    manifests: readonly Manifest[],
    component: string,
  ): readonly (string | number)[] => {
    const policy = ofKind(manifests, 'NetworkPolicy').find(({ metadata }) =>
      metadata.name.endsWith(`-${component}`),
    );
    const spec = policy?.['spec'] as { readonly egress: readonly Egress[] } | undefined;
    return spec?.egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port)) ?? [];
  };

  test.each([
    ['http://collector.monitoring:4318', 4318],
    ['https://10.1.2.3', 443],
    ['http://collector.monitoring/', 80],
  ])('NetworkPolicies of services and workers allow %s', (endpoint, port) => {
    const manifests = rendered('cpu-autoscaling', { tracing: { endpoint } });

    for (const component of ['gateway', 'users-consumer', 'worker-in-app'])
      expect(portsOf(manifests, component)).toContain(port);
    for (const component of ['preparation', 'test'])
      expect(portsOf(manifests, component)).not.toContain(port);
  });

  test('without a collector nothing is allowed', () => {
    const manifests = rendered('cpu-autoscaling');

    expect(portsOf(manifests, 'worker-in-app')).toEqual([53, 53, 5432, 9092, 9093, 9094, 6379]);
  });
});
