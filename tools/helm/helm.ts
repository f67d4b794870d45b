import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { clusterTool } from './cluster-tool.ts';

export const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
export const CHART_DIR = join(ROOT_DIR, 'helm', 'tidings');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
};

export type Values = Readonly<Record<string, unknown>>;

/**
 * The values files of the chart's ci folder, by name. Each must render; a test compares one
 * rendering.
 */
export function readCases(): ReadonlyMap<string, string> {
  const folder = join(CHART_DIR, 'ci');
  const files = readdirSync(folder).filter((file) => file.endsWith('-values.yaml'));
  return new Map(files.sort().map((file) => [basename(file, '-values.yaml'), join(folder, file)]));
}

/** `helm template` of a values file with overrides. @throws with helm's message */
export function render(valuesFile: string, over: Values = {}): readonly Manifest[] {
  const { status, stdout, stderr } = template(valuesFile, over);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap(
    (document) => (document.toJS() as Manifest | null) ?? [],
  );
}

/** Helm's error message for rejected values. @throws if the values are accepted */
export function rejectionMessage(valuesFile: string, over: Values): string {
  const { status, stderr } = template(valuesFile, over);
  if (status === 0) throw new Error('helm has accepted these values');
  return stderr;
}

export function lint(valuesFile: string): string {
  const { status, stdout, stderr } = helm(['lint', '--strict', CHART_DIR, '-f', valuesFile]);
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** The rendered installation notes. @throws with helm's message */
export function renderNotes(valuesFile: string, over: Values = {}): string {
  const { status, stdout, stderr } = withValues(valuesFile, over, ['install', '--dry-run=client']);
  if (status !== 0) throw new Error(stderr);
  return stdout.slice(stdout.indexOf('\nNOTES:\n'));
}

const template = (valuesFile: string, over: Values): ReturnType<typeof helm> =>
  withValues(valuesFile, over, ['template']);

function withValues(
  valuesFile: string,
  over: Values,
  [command = '', ...flags]: readonly string[],
): ReturnType<typeof helm> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-chart-'));
  try {
    writeFileSync(join(folder, 'over.yaml'), stringify(over));
    return helm([
      command,
      'try',
      CHART_DIR,
      '-n',
      'trial',
      '-f',
      valuesFile,
      '-f',
      join(folder, 'over.yaml'),
      ...flags,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function helm(args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const { status, stdout, stderr, error } = spawnSync(clusterTool('helm'), args, {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (error !== undefined)
    throw new Error('helm could not be started: install Helm 4, or name it in HELM_PATH.', {
      cause: error,
    });
  return { status, stdout, stderr };
}
