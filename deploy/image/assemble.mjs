// `node deploy/image/assemble.mjs <folder>`: fills an empty folder with the content of the image:
// the sources, the production packages, and a bill of materials. Built-ins only, since an image
// build has no packages yet.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './files-below.mjs';
import { writeSbom } from './sbom.mjs';

const ROOT_DIR = join(import.meta.dirname, '..', '..');
const MANIFESTS = ['LICENSE', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
const FOLDERS = ['packages', 'services', 'web', 'deploy/install', 'docs'];
/** For development and tests only. */
const LEFT_OUT = ['packages/testing', 'packages/database/prisma'];
/** Only the bundle of these folders goes into the image; browsers get nothing else. */
const BUNDLED = ['services/client-api/browser-sdk', 'web'];
/** Built first; the bundle must exist before it is copied. */
const MADE = [
  { of: 'packages/database/prisma', file: 'packages/database/src/generated/client.ts' },
  { of: 'services/client-api/browser-sdk', file: 'services/client-api/browser-sdk/dist/sdk.js' },
  { of: 'web/package.json', file: 'web/dist/index.html' },
];
/** Needed for the install only. */
const SCAFFOLD = [
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'packages/bus/patches',
  'web/package.json',
  'node_modules/.modules.yaml',
  'node_modules/.pnpm/lock.yaml',
  'node_modules/.pnpm-workspace-state-v1.json',
];

/**
 * Files of packages that production never reads: types, source maps, documents, and Prisma for
 * other databases.
 */
const UNREAD = [
  /\.d\.[mc]?ts$/,
  /\.map$/,
  /\.md$/,
  /\.tsbuildinfo$/,
  /@prisma\/client\/runtime\/query_compiler_(small_|fast_bg\.(?!postgresql))/,
];

/** @throws if a build result is missing, or the install fails */
export function assemble(target) {
  const missing = MADE.filter(
    ({ of, file }) => existsSync(join(ROOT_DIR, of)) && !existsSync(join(ROOT_DIR, file)),
  );
  if (missing.length > 0)
    throw new Error(
      `${missing.map(({ file }) => file).join(' and ')} must be built first: run npm run image, or any npm test.`,
    );
  mkdirSync(target, { recursive: true });
  if (readdirSync(target).length > 0) throw new Error(`${target} is not empty.`);
  for (const file of MANIFESTS) cpSync(join(ROOT_DIR, file), join(target, file));
  for (const folder of FOLDERS)
    cpSync(join(ROOT_DIR, folder), join(target, folder), { recursive: true, filter: isProduct });
  install(target);
  writeSbom(target, (args) => pnpm(target, args));
  for (const path of SCAFFOLD) rmSync(join(target, path), { recursive: true, force: true });
  prune(join(target, 'node_modules'));
}

/** True if a file or folder is executed or read in production. */
function isProduct(source) {
  const path = relative(ROOT_DIR, source).split(sep).join('/');
  const name = basename(path);
  if (LEFT_OUT.includes(path) || ['node_modules', 'testing', 'coverage'].includes(name))
    return false;
  const bundled = BUNDLED.find((folder) => path.startsWith(`${folder}/`));
  if (bundled !== undefined)
    return (
      path === `${bundled}/package.json` ||
      path === `${bundled}/dist` ||
      path.startsWith(`${bundled}/dist/`)
    );
  // `/docs` shows the documents.
  if (path.startsWith('docs/')) return true;
  return !/(\.(test|conformance)\.ts|\.md|\.tsbuildinfo)$/.test(name);
}

/**
 * Installs production dependencies from the lock file. Copies files instead of linking, since a
 * linked file could be changed through the shared pnpm store.
 */
function install(target) {
  const flags = [
    '--prod',
    '--frozen-lockfile',
    '--ignore-scripts',
    '--config.package-import-method=copy',
    '--reporter=append-only',
  ];
  pnpm(target, ['install', ...flags]);
}

/** Runs the pinned pnpm in the folder. @returns its standard output */
function pnpm(target, args) {
  const { packageManager } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  const env = { ...process.env, CI: 'true' };
  const options = { cwd: target, encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr, error } = spawnSync(
    'npx',
    ['--yes', packageManager, ...args, '--pm-on-fail=ignore'],
    options,
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`pnpm ${args[0]} failed:\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Deletes package files that are not needed at run time, half of the installed size. Licences stay.
 */
function prune(modules) {
  for (const file of filesBelow(modules)) {
    if (UNREAD.some((pattern) => pattern.test(file))) rmSync(file);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , target] = process.argv;
  if (target === undefined) throw new Error('Name the folder to assemble in.');
  assemble(target);
}
