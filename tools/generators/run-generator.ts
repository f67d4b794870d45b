import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LocalFile } from '@tidings/local';
import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import type { Generator } from './generators.ts';
import { runProgram } from './run-program.ts';

type Target = Pick<LocalFile, 'baseUrl' | 'applicationId' | 'serverKey'>;

/** Responses to a batch, a push, and a push without recipients. */
export type Called = {
  readonly submitted: IngestAccepted;
  readonly pushed: PushAccepted;
  readonly refused: string;
};

const PINS = {
  TypeScript: ['npm/package.json', 'npm/package-lock.json'],
  Python: ['python/requirements.txt'],
  Go: [],
} as const;
const FETCH_TIMEOUT_MS = 10_000;

/** True if the machine has what the generator needs. */
export function canRun({ needs: [command, ...args] }: Pick<Generator, 'needs'>): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/**
 * Generates a client from the served document, compiles it, and calls `POST /` and `POST /push`.
 */
export async function runGenerator(generator: Generator, target: Target): Promise<Called> {
  const { home } = generator;
  mkdirSync(home, { recursive: true });
  for (const pin of PINS[generator.language])
    cpSync(join(import.meta.dirname, pin), join(home, basename(pin)));
  for (const step of generator.install(home)) await runProgram(step);
  const dir = mkdtempSync(join(home, 'run-'));
  try {
    const at = { dir, document: join(dir, 'openapi.json'), url: target.baseUrl };
    writeFileSync(at.document, await readDocument(target));
    for (const [file, name] of Object.entries(generator.files))
      cpSync(join(import.meta.dirname, file), join(dir, name));
    for (const [name, text] of Object.entries(generator.made?.(at) ?? {})) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
    let printed = '';
    for (const step of generator.steps(at))
      printed = await runProgram({ ...step, env: { ...step.env, ...callerEnv(target) } });
    return JSON.parse(printed) as Called;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function readDocument({ baseUrl }: Target): Promise<string> {
  const answer = await fetch(`${baseUrl}/openapi.json`, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (answer.status !== 200) throw new Error(`/openapi.json returned ${answer.status}`);
  return answer.text();
}

const callerEnv = ({ baseUrl, applicationId, serverKey }: Target) => ({
  TIDINGS_URL: baseUrl,
  TIDINGS_APPLICATION: applicationId,
  TIDINGS_KEY: serverKey,
});
