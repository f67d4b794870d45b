import { join } from 'node:path';
import { stringify } from 'yaml';
import { CHART_DIR, readCases, render } from '../chart/support/helm.ts';

export const RENDERED_FILE = join(CHART_DIR, 'ci', 'production-rendered.yaml');

const HEADER =
  '# What `ci/production-values.yaml` renders to, made by `npm run generate`: a change of the chart is read here before it is made.\n';

/** The manifests of the production values, sorted, so that a diff shows what changed. */
export function renderedProduction(): string {
  const manifests = [...render(String(readCases().get('production')))].sort((a, b) =>
    `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`),
  );
  return (
    HEADER +
    manifests
      .map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }))
      .join('---\n')
  );
}
