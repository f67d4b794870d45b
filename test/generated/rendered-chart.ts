import { join } from 'node:path';
import { stringify } from 'yaml';
import { CHART_DIR, readCases, render, type Manifest } from '@tidings/tools/helm';
import { listWorkloads } from '../chart/support/workloads.ts';

export const RENDERED_FILE = join(CHART_DIR, 'ci', 'worker-email-rendered.yaml');

const WORKER = 'worker-email';
const COMPONENT = 'app.kubernetes.io/component';
/** One is a list of the values' routes, the other a file of the chart; tests compare them. */
const ASSERTED: ReadonlySet<string> = new Set(['Ingress', 'PrometheusRule']);
const HEADER =
  '# What `ci/production-values.yaml` renders to for one worker and for the installation as a whole,\n' +
  '# made by `npm run generate`: a change of the chart is read here before it is made. A test says how\n' +
  '# the other components differ.\n';

/** Manifests of the production values, sorted, so that a diff shows what changed. */
export function renderedWorker(): string {
  const all = render(String(readCases().get('production')));
  const others = new Set(
    listWorkloads(all)
      .filter(({ manifest, component }) => manifest.kind === 'Deployment' && component !== WORKER)
      .map(({ component }) => component),
  );
  const isShown = ({ kind, metadata }: Manifest): boolean =>
    !ASSERTED.has(kind) && !others.has(metadata.labels?.[COMPONENT] ?? '');
  const manifests = all
    .filter(isShown)
    .sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));
  return (
    HEADER +
    manifests
      .map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }))
      .join('---\n')
  );
}
