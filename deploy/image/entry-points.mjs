// What can be started from the image: every service, and the commands of an installation.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const COMMANDS = ['prepare', 'make-application', 'try-installation'].map((name) => `deploy/install/src/${name}.ts`);

/** The files to run, relative to the folder that holds the product. */
export function entryPoints(root) {
  const services = readdirSync(join(root, 'services')).filter((name) => name !== 'sandbox');
  return [...services.sort().map((name) => `services/${name}/src/main.ts`), ...COMMANDS];
}
