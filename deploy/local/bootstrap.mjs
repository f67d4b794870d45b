// From a fresh clone and any Node from 20 on to Node 24 with everything installed. Built-ins only.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createProgress, palette } from './progress.mjs';

const ROOT_DIR = join(
  import.meta.dirname ?? dirname(new URL(import.meta.url).pathname),
  '..',
  '..',
);
const NODE_24 = join(ROOT_DIR, 'node_modules', 'node', 'bin', 'node');
const COMPILE_CACHE = join(ROOT_DIR, 'node_modules', '.cache', 'compile');
const STAMPS = join(ROOT_DIR, 'node_modules', '.tidings');
const DATABASE_DIR = join(ROOT_DIR, 'packages', 'database');
const GENERATED_CLIENT = join(DATABASE_DIR, 'src', 'generated', 'client.ts');
const CLIENT_API_DIR = join(ROOT_DIR, 'services', 'client-api');
const BROWSER_SDK = 'services/client-api/browser-sdk';
const WEB = 'web';
const OUTPUT_LINES_SHOWN = 20;

/**
 * Checks the machine, installs packages, generates the database client, bundles the browser SDK and
 * builds the dashboard, each only if needed. Exits with a message if something is missing.
 * `hasKafka`: Kafka and Redis will be started.
 */
export async function bootstrap({ hasKafka }) {
  const missing = findMissing({ hasKafka });
  if (missing.length > 0) fail(missing);
  const progress = createProgress();
  try {
    await installPackages(progress);
    await generateDatabaseClient(progress);
    await bundleBrowserSdk(progress);
    await buildDashboard(progress);
  } catch (error) {
    fail([error.message]);
  }
}

function installPackages(progress) {
  const install = (note) =>
    // This is the pinned pnpm. Without the last flag it asks the registry for its own version and
    // rejects the lock file.
    run(
      'npx',
      [
        '--yes',
        pinnedPnpm(),
        'install',
        '--frozen-lockfile',
        '--reporter=append-only',
        '--pm-on-fail=ignore',
      ],
      { cwd: ROOT_DIR, env: { CI: 'true' }, note },
    );
  return onceFor(
    { name: 'install', inputs: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'], result: NODE_24 },
    () => progress.step('Install packages', install),
  );
}

function generateDatabaseClient(progress) {
  const generate = (note) =>
    // Prisma would download an engine that generating does not use; any existing file replaces it.
    run('npm', ['run', '--silent', 'generate'], {
      cwd: DATABASE_DIR,
      env: { PRISMA_SCHEMA_ENGINE_BINARY: NODE_24, CHECKPOINT_DISABLE: '1' },
      note,
    });
  return onceFor(
    {
      name: 'generate',
      inputs: ['packages/database/prisma/schema.prisma', 'pnpm-lock.yaml'],
      result: GENERATED_CLIENT,
    },
    () => progress.step('Generate the database client', generate),
  );
}

function bundleBrowserSdk(progress) {
  const bundle = (note) =>
    run('npm', ['run', '--silent', 'bundle'], { cwd: CLIENT_API_DIR, env: {}, note });
  return onceFor(
    {
      name: 'browser-sdk',
      inputs: [...listSources(BROWSER_SDK), 'pnpm-lock.yaml'],
      result: join(ROOT_DIR, BROWSER_SDK, 'dist', 'sdk.js'),
    },
    () => progress.step('Bundle the browser SDK', bundle),
  );
}

function buildDashboard(progress) {
  const build = (note) =>
    // The bundler needs a newer Node than the oldest that can run this script.
    run('npm', ['run', '--silent', 'build'], {
      cwd: join(ROOT_DIR, WEB),
      env: { PATH: childEnvironment().PATH },
      note,
    });
  const pages = [
    ...listSources(WEB),
    ...listSources('packages/contracts/src'),
    ...listSources('packages/api-spec/src'),
  ].filter((file) => !file.endsWith('.test.ts'));
  return onceFor(
    {
      name: 'dashboard',
      inputs: [...pages, 'pnpm-lock.yaml'],
      result: join(ROOT_DIR, WEB, 'dist', 'index.html'),
    },
    () => progress.step('Build the dashboard', build),
  );
}

/**
 * Fills the compile cache for `npm start`. A process that must strip the types of a file itself takes
 * 20 to 40 MiB more, and keeps them. Then compiles the schemas of hot routes, again when they change.
 */
export async function compileSources() {
  const progress = createProgress();
  const program = join('deploy', 'local', 'src', 'compile.ts');
  const precompile = join('services', 'all', 'src', 'precompile.ts');
  const runProgram = (file) => (note) =>
    run(NODE_24, ['--disable-warning=ExperimentalWarning', file], {
      cwd: ROOT_DIR,
      env: childEnvironment(),
      note,
    });
  const schemas = ['packages/contracts/src', 'packages/api-spec/src', 'packages/validation/src'];
  try {
    await onceFor(
      { name: 'compile', inputs: ['pnpm-lock.yaml', program], result: COMPILE_CACHE },
      () => progress.step('Compile the services', runProgram(program)),
    );
    await onceFor(
      {
        name: 'precompile',
        inputs: ['pnpm-lock.yaml', precompile, ...schemas.flatMap(listSources)],
        result: COMPILE_CACHE,
      },
      () => progress.step('Compile the schemas', runProgram(precompile)),
    );
  } catch (error) {
    fail([error.message]);
  }
}

/** For the program that runs as long as the installation and does little. */
export const START_FLAGS = ['--max-semi-space-size=1'];

/**
 * Runs a TypeScript file on Node 24 in the foreground. This process becomes that one; Node 20 cannot,
 * and ends when that one ends.
 */
export function continueOnNode24(file, args, nodeFlags = []) {
  const argv = [
    ...nodeFlags,
    '--disable-warning=ExperimentalWarning',
    join(ROOT_DIR, file),
    ...args,
  ];
  if (process.execve !== undefined) {
    // It is experimental, and would say so.
    process.removeAllListeners('warning');
    process.execve(NODE_24, [NODE_24, ...argv], childEnvironment());
  }
  const child = spawn(NODE_24, argv, {
    // The child notices through this channel that this process was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: childEnvironment(),
  });
  // A terminal sends Ctrl-C to the child too, but a signal sent to npm must be forwarded.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.once('error', (error) =>
    fail([`Node 24 could not be started (${error.message}): delete node_modules and try again.`]),
  );
  child.once('exit', (code) => process.exit(code ?? 1));
}

/**
 * Environment of all Node 24 processes: `node` is the pinned one. The compile cache makes a service
 * start faster and saves 20 MiB, as no types are stripped.
 */
export function childEnvironment() {
  return {
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...process.env,
    PATH: `${dirname(NODE_24)}${delimiter}${process.env.PATH ?? ''}`,
  };
}

/** What this machine lacks, one sentence per item. */
export function findMissing({ hasKafka, nodeVersion = process.versions.node, ...facts }) {
  const missing = [];
  if (process.platform === 'win32')
    missing.push('Windows itself is not supported: run this inside WSL.');
  if (Number.parseInt(nodeVersion, 10) < 20)
    missing.push(
      `Node 20 or newer is needed, but this is ${nodeVersion}: install a newer one and try again.`,
    );
  if (hasKafka) missing.push(...Object.values(findMissingStores(facts)).flat());
  return missing;
}

/** What this machine lacks to start Kafka and Redis, one sentence per item. Postgres needs nothing. */
export function findMissingStores({
  env = process.env,
  versionOf = askVersion,
  isFetched = hasFetched,
} = {}) {
  const hasMaven = versionOf('mvn', ['-version']) !== undefined;
  const kafka = [];
  if (!env.KAFKA_BROKERS) {
    const java = versionOf(env.JAVA_HOME ? join(env.JAVA_HOME, 'bin', 'java') : 'java', [
      '-version',
    ]);
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(java ?? '') ?? [];
    const major = Number(first === '1' ? second : first);
    const remedy =
      'install a JDK of 17 or newer (Debian: openjdk-17-jdk-headless, Homebrew: openjdk), or set KAFKA_BROKERS to an existing Kafka.';
    if (java === undefined) kafka.push(`Java (needed by Kafka) was not found: ${remedy}`);
    else if (major < 17)
      kafka.push(`Kafka needs Java 17 or newer, but this is ${major}: ${remedy}`);
    if (!isFetched('kafka') && !hasMaven)
      kafka.push(
        'Maven (needed to download Kafka) was not found: install it (Debian and Homebrew: maven), or set KAFKA_BROKERS to an existing Kafka.',
      );
  }
  const redis = [];
  if (
    !env.REDIS_URL &&
    !isFetched('redis') &&
    !hasMaven &&
    versionOf('redis-server', ['--version']) === undefined
  )
    redis.push(
      'Neither Redis nor Maven (to download Redis) was found: install redis-server or Maven, or set REDIS_URL to an existing Redis.',
    );
  return { kafka, redis };
}

function askVersion(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}` : undefined;
}

function hasFetched(what) {
  return existsSync(join(ROOT_DIR, '.tidings', what, what === 'kafka' ? 'libs' : 'bin'));
}

/**
 * Runs `action` unless `result` exists and was built from the current `inputs`. The stamps are in
 * node_modules and vanish with it.
 */
async function onceFor({ name, inputs, result }, action) {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(join(ROOT_DIR, input)));
  const digest = hash.digest('hex');
  const stamp = join(STAMPS, name);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  await action();
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, digest);
}

/** Source files below a folder without build output, as paths from the root. */
function listSources(folder) {
  const names = readdirSync(join(ROOT_DIR, folder), { recursive: true }).filter(
    (name) => /\.\w+$/.test(name) && !/^(dist|node_modules)\b/.test(name),
  );
  return names.sort().map((name) => join(folder, name));
}

function pinnedPnpm() {
  return JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')).packageManager;
}

/** Runs a command that prints only progress; shows its last lines if it fails. */
function run(command, args, { cwd, env, note }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = [];
    const read = (chunk) => {
      const lines = chunk
        .toString()
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      printed.push(...lines);
      printed.splice(0, printed.length - OUTPUT_LINES_SHOWN);
      if (lines.length > 0) note(lines.at(-1));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) =>
      reject(new Error(`${command} could not be started: ${error.message}`)),
    );
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`"${command} ${args.join(' ')}" failed:\n${printed.join('\n')}`));
    });
  });
}

/** Exits with these messages. */
export function fail(sentences) {
  for (const sentence of sentences)
    process.stderr.write(`${palette(process.stderr).red('✗')} ${sentence}\n`);
  process.exit(1);
}
