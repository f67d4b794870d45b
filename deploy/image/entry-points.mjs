// What can be started from the image: every service, and the commands of an installation.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const COMMANDS = ['prepare', 'make-application', 'setup-link', 'try-installation'].map(
  (name) => `deploy/install/src/${name}.ts`,
);

const SMALL = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
/** Services that are started with flags of node: `nodeFlags` in the chart's values. Other workers are small. */
const NODE_FLAGS = {
  gateway: ['--max-semi-space-size=128', '--heap-growing-percent=300'],
  'client-api': SMALL,
  'worker-email': ['--max-semi-space-size=16', '--heap-growing-percent=30'],
  'worker-app-push': ['--max-semi-space-size=12', '--heap-growing-percent=60'],
};

const nodeFlagsOf = (name) => NODE_FLAGS[name] ?? (name.startsWith('worker-') ? SMALL : []);

/** The files to run, relative to the folder that holds the product, each with the flags of its node. */
export function entryPoints(root) {
  const services = readdirSync(join(root, 'services')).filter((name) => name !== 'sandbox');
  return [
    ...services
      .sort()
      .map((name) => ({ file: `services/${name}/src/main.ts`, nodeFlags: nodeFlagsOf(name) })),
    ...COMMANDS.map((file) => ({ file, nodeFlags: [] })),
  ];
}
