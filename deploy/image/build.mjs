// `npm run image [-- --tag tidings:dev] [--base IMAGE] [--release]`: builds the image and starts
// each entry point once. A release must name its base by digest, so that the same commit is always
// built on the same base.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../local/bootstrap.mjs';
import { entryPoints } from './entry-points.mjs';

const ROOT_DIR = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: `tidings:${version}` },
    base: { type: 'string' },
    release: { type: 'boolean' },
  },
});

if (values.release && !/@sha256:[0-9a-f]{64}$/.test(values.base ?? '')) {
  fail([
    'A release needs a base image with a digest: add --base docker.io/library/node:24-bookworm-slim@sha256:….',
  ]);
}
if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0)
  fail([
    'No Docker engine is reachable: start one, or build deploy/image/Dockerfile with another builder.',
  ]);
const base = values.base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${values.base}`];
if (
  docker(['build', '-f', 'deploy/image/Dockerfile', '-t', values.tag, ...base, '.'], 'inherit')
    .status !== 0
)
  fail(['The image could not be built.']);

// As restricted as in a cluster. Without settings each entry point reports an invalid configuration
// and exits, which proves that all its modules load.
const strict = [
  '--rm',
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--network',
  'none',
];
for (const { file, nodeFlags } of entryPoints(ROOT_DIR)) {
  const { status, stdout, stderr } = docker(
    [
      'run',
      ...strict,
      values.tag,
      'node',
      '--disable-warning=ExperimentalWarning',
      ...nodeFlags,
      file,
    ],
    'pipe',
  );
  // Services log to standard output, commands to standard error.
  if (status !== 1 || !`${stdout}${stderr}`.includes('the configuration is not valid'))
    fail([`${file} could not be started from the image:\n${stdout}${stderr}`]);
}
if (
  docker(
    [
      'run',
      ...strict,
      '--entrypoint',
      'node',
      values.tag,
      '-e',
      "for (const tool of ['npm', 'apt', 'dpkg', 'apk']) try { require('child_process').execFileSync(tool); process.exit(1) } catch (error) { if (error.code !== 'ENOENT') process.exit(1) }",
    ],
    'pipe',
  ).status !== 0
) {
  fail(['The image still contains a package manager.']);
}
const bytes = Number(
  docker(['image', 'inspect', '--format', '{{.Size}}', values.tag], 'pipe').stdout,
);
process.stdout.write(`${values.tag}: ${Math.round(bytes / 1e6)} MB, every entry point starts.\n`);

function docker(args, stdio) {
  return spawnSync('docker', args, { cwd: ROOT_DIR, encoding: 'utf8', stdio });
}
