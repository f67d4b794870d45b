import { expect, test } from '@jest/globals';
import { egressConfigs } from '@tidings/egress';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFields } from '../generated/configuration-table.ts';
import { readCases, render, ROOT_DIR } from '@tidings/tools/helm';

const SERVICES_DIR = join(ROOT_DIR, 'services');
const NETWORK = '10.77.0.0/16';
/** Services whose configuration has the network list of this purpose. */
async function readersOf(purpose: string): Promise<readonly string[]> {
  const services = readdirSync(SERVICES_DIR).toSorted();
  const having = await Promise.all(
    services.map(async (service) =>
      (await readFields(service)).some(({ env }) => env === networksVariable(purpose)),
    ),
  );
  return services.filter((_, index) => having[index]);
}
const networksVariable = (purpose: string) => `EGRESS_${purpose.toUpperCase()}_NETWORKS`;

test.each(Object.keys(egressConfigs))(
  'the networks that are opened for %s are open to no other purpose',
  async (purpose) => {
    const components = await readersOf(purpose);
    const manifests = render(String(readCases().get('production')), {
      egress: { networks: { [purpose]: [NETWORK] } },
    });
    const having = (kind: string): string[] =>
      manifests
        .filter((manifest) => manifest.kind === kind && JSON.stringify(manifest).includes(NETWORK))
        .map(({ metadata }) => metadata.name.replace(/^try-tidings-/, ''));

    expect(components).not.toEqual([]);
    expect(having('Deployment').toSorted()).toEqual(components);
    expect(having('NetworkPolicy').toSorted()).toEqual(components);
  },
);
