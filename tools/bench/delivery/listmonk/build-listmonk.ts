import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

/**
 * The newest version that is a Go module under its own path: later tags have a major version that
 * the path of the module lacks, so Go does not take them.
 */
export const LISTMONK_VERSION = 'v1.1.0';
const MODULE = 'github.com/knadh/listmonk';
const FOLDER = join(ROOT_DIR, '.tidings', 'bench', `listmonk-${LISTMONK_VERSION}`);
/** Read from the working directory, since the files are not embedded in a plain build. */
const FILES = ['queries.sql', 'schema.sql', 'config.toml.sample', 'static', 'i18n'];

const GO_MOD = `module bench.invalid/listmonk

go 1.21

require ${MODULE} ${LISTMONK_VERSION}

replace github.com/imdario/mergo => github.com/imdario/mergo v0.3.8
`;
const IMPORT = `//go:build tools

package tools

import _ "${MODULE}/cmd"
`;

/**
 * Builds listmonk once from its Go module; returns the folder with the program and its files.
 * Undefined if Go is not installed. The dashboard is not in the module and is not needed.
 */
export function buildListmonk(): string | undefined {
  if (existsSync(FOLDER)) return FOLDER;
  if (!isGoInstalled()) return undefined;
  console.error(`  building listmonk ${LISTMONK_VERSION} …`);
  const making = `${FOLDER}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, 'go.mod'), GO_MOD);
  writeFileSync(join(making, 'tools.go'), IMPORT);
  const go = (...args: string[]): string =>
    execFileSync('go', args, {
      cwd: making,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  go('mod', 'tidy', '-e');
  go('build', '-o', 'listmonk', `${MODULE}/cmd`);
  const source = go('list', '-m', '-f', '{{.Dir}}', MODULE).trim();
  for (const file of FILES) cpSync(join(source, file), join(making, file), { recursive: true });
  // The program refuses to start without these two.
  const dashboard = join(making, 'frontend', 'dist', 'frontend');
  mkdirSync(dashboard, { recursive: true });
  writeFileSync(join(dashboard, 'index.html'), '');
  writeFileSync(join(making, 'frontend', 'dist', 'favicon.png'), '');
  renameSync(making, FOLDER);
  return FOLDER;
}

function isGoInstalled(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
