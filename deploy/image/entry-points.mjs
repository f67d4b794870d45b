// The entry points of the image: every service, all of them in one process, and the installation
// commands. The sandbox runs in the process with all services.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const COMMANDS = ['prepare', 'make-application', 'setup-link', 'try-installation', 'move-bus'].map(
  (name) => `deploy/install/src/${name}.ts`,
);

const SMALL = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
/** Services with node flags: `nodeFlags` in the chart's values. The other workers need none. */
const NODE_FLAGS = {
  all: SMALL,
  gateway: ['--max-semi-space-size=128', '--heap-growing-percent=300'],
  'client-api': SMALL,
  'automation-engine': SMALL,
  'worker-email': ['--max-semi-space-size=16', '--heap-growing-percent=30'],
  'worker-app-push': ['--max-semi-space-size=12', '--heap-growing-percent=60'],
};

const nodeFlagsOf = (name) => NODE_FLAGS[name] ?? (name.startsWith('worker-') ? SMALL : []);

/** Entry points relative to the product folder, each with its node flags. */
export function entryPoints(root) {
  const services = readdirSync(join(root, 'services')).filter((name) => name !== 'sandbox');
  return [
    ...services
      .sort()
      .map((name) => ({ file: `services/${name}/src/main.ts`, nodeFlags: nodeFlagsOf(name) })),
    ...COMMANDS.map((file) => ({ file, nodeFlags: [] })),
  ];
}
