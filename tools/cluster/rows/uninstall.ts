import { RELEASE } from '../installation.ts';
import type { Cluster } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import type { Row } from '../row.ts';

const GONE_WITHIN_MS = 180_000;

export const uninstall: Row = {
  name: 'uninstall',
  claim: 'uninstalling removes every object',
  isAlwaysRun: true,
  async run({ cluster, installation }) {
    await installation.uninstall();
    return { violations: await leftovers(cluster) };
  },
};

/** Objects of a release that remain after uninstalling, of any kind. */
export async function leftovers(cluster: Cluster): Promise<readonly string[]> {
  // It reports API groups that are registered but not served.
  const kinds = (
    await cluster.shell(
      'kubectl api-resources --namespaced --verbs=list -o name 2>/dev/null || true',
    )
  )
    .trim()
    .split('\n');
  // Events are history, and pod metrics are kept briefly.
  const looked = kinds.filter((kind) => !/^events(\.|$)|metrics\.k8s\.io$/.test(kind));
  const look = async (): Promise<string> =>
    (
      await cluster.kubectl([
        'get',
        looked.join(','),
        '-l',
        `app.kubernetes.io/instance=${RELEASE}`,
        '-o',
        'name',
        '--ignore-not-found',
      ])
    ).trim();
  let left = '';
  try {
    await until({ what: 'all objects are removed', withinMs: GONE_WITHIN_MS }, async () =>
      (left = await look()) === '' ? true : undefined,
    );
    return [];
  } catch {
    return left.split('\n');
  }
}
