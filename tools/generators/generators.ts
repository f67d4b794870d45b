import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import type { Program } from './run-program.ts';

const HERE = import.meta.dirname;
/** Installed once and kept. */
const INSTALLED_DIR = join(ROOT_DIR, '.tidings', 'generators');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
/** Go may download another version of itself only on request. */
const GO_ENV = { GOFLAGS: '-mod=mod -buildvcs=false', GOTOOLCHAIN: 'local' };

const GO_CLIENT = ['-generate', 'types,client', '-package', 'tidings', '-o', 'tidings/api.go'];

/** Files and target of a generator run. */
export type Workplace = {
  /** The OpenAPI document, a file. */
  readonly document: string;
  /** Folder for the generated code and the program that calls it. */
  readonly dir: string;
  readonly url: string;
};

export type Generator = {
  readonly language: 'TypeScript' | 'Python' | 'Go';
  /** A program on the machine, with arguments that print its version. */
  readonly needs: readonly [command: string, ...args: string[]];
  /** Folder that contains the run's folder, so that generated code finds its libraries. */
  readonly home: string;
  /** Files of this folder, and their names in the run's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Additional files to write. */
  readonly made?: (at: Workplace) => Readonly<Record<string, string>>;
  readonly install: (home: string) => readonly Program[];
  readonly steps: (at: Workplace) => readonly Program[];
};

const npmHome = findHome('npm', ['npm/package-lock.json']);
const installNpm = (cwd: string): readonly Program[] =>
  existsSync(join(cwd, 'node_modules', '.package-lock.json'))
    ? []
    : [
        {
          what: 'install',
          command: 'npm',
          args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
          cwd,
        },
      ];
/** A binary of an npm package. */
const node = (
  what: Program['what'],
  cwd: string,
  [file, ...args]: readonly [file: string, ...args: string[]],
): Program => ({ what, command: process.execPath, args: [file, ...args], cwd });
const bin = (...path: string[]): string => join(npmHome, 'node_modules', ...path);
const typescript = { language: 'TypeScript', needs: ['npm', '--version'], home: npmHome } as const;
const checkTypes = (dir: string): Program =>
  node('compile', dir, [bin('typescript', 'bin', 'tsc'), '-p', '.']);

const pythonHome = findHome('python', ['python/requirements.txt']);
const pythonBin = join(pythonHome, 'venv', 'bin');
const python = (
  what: Program['what'],
  cwd: string,
  [name, ...args]: readonly [name: string, ...args: string[]],
): Program => ({
  what,
  command: join(pythonBin, name),
  args,
  cwd,
  env: {
    // The generator formats its output with a program of its own environment.
    PATH: `${pythonBin}${delimiter}${process.env['PATH'] ?? ''}`,
    PYTHONPATH: 'client',
    MYPYPATH: 'client',
  },
});

/** Each with the steps of a user, and pinned versions. */
export const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    ...typescript,
    files: {
      'npm/openapi-typescript.ts.txt': 'call.ts',
      'npm/tsconfig.json.txt': 'tsconfig.json',
      'npm/globals.d.ts.txt': 'globals.d.ts',
    },
    install: installNpm,
    steps: ({ document, dir }) => [
      node('generate', dir, [bin('openapi-typescript', 'bin', 'cli.js'), document, '-o', 'api.ts']),
      checkTypes(dir),
      node('call', dir, ['call.ts']),
    ],
  },
  orval: {
    ...typescript,
    files: {
      'npm/orval.ts.txt': 'call.ts',
      'npm/tsconfig.json.txt': 'tsconfig.json',
      'npm/globals.d.ts.txt': 'globals.d.ts',
    },
    made: ({ document, url }) => ({
      'orval.config.mjs': `export default ${JSON.stringify({
        tidings: {
          input: { target: document },
          output: { target: './api.ts', client: 'fetch', mode: 'single', baseUrl: url },
        },
      })};\n`,
    }),
    install: installNpm,
    steps: ({ dir }) => [
      node('generate', dir, [
        bin('orval', 'dist', 'bin', 'orval.mjs'),
        '--config',
        'orval.config.mjs',
      ]),
      checkTypes(dir),
      node('call', dir, ['call.ts']),
    ],
  },
  'openapi-python-client': {
    language: 'Python',
    needs: ['python3', '-c', 'import ensurepip, venv'],
    home: pythonHome,
    files: { 'python/call.py': 'call.py' },
    install: (cwd) =>
      existsSync(join(pythonBin, 'openapi-python-client'))
        ? []
        : [
            { what: 'install', command: 'python3', args: ['-m', 'venv', 'venv'], cwd },
            python('install', cwd, ['pip', 'install', '--quiet', '-r', 'requirements.txt']),
          ],
    steps: ({ document, dir }) => [
      python('generate', dir, [
        'openapi-python-client',
        'generate',
        '--fail-on-warning',
        '--path',
        document,
        '--output-path',
        'client',
      ]),
      python('compile', dir, ['mypy', 'call.py']),
      python('call', dir, ['python', 'call.py']),
    ],
  },
  'oapi-codegen': {
    language: 'Go',
    needs: ['go', 'version'],
    home: findHome('go', ['go/go.sum']),
    files: { 'go/main.go': 'main.go', 'go/go.mod': 'go.mod', 'go/go.sum': 'go.sum' },
    made: () => ({ 'tidings/doc.go': 'package tidings\n' }),
    install: () => [],
    steps: ({ document, dir: cwd }) => [
      {
        what: 'generate',
        command: 'go',
        args: ['run', OAPI_CODEGEN, ...GO_CLIENT, document],
        cwd,
        env: GO_ENV,
      },
      { what: 'compile', command: 'go', args: ['build', '-o', 'call', '.'], cwd, env: GO_ENV },
      { what: 'call', command: join(cwd, 'call'), args: [], cwd },
    ],
  },
};

/** @throws Error if there is no such generator */
export function findGenerator(name: string): Generator {
  const generator = GENERATORS[name];
  if (generator === undefined) throw new Error(`unknown generator: ${name}`);
  return generator;
}

/** A folder per set of pinned versions. */
function findHome(name: string, pins: readonly string[]): string {
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(join(HERE, pin)));
  return join(INSTALLED_DIR, `${name}-${hash.digest('hex').slice(0, 12)}`);
}
