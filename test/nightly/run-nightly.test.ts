import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listParts } from './nightly-parts.ts';
import { runNightly } from './run-nightly.ts';
import { runStep, type Step } from './run-step.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidings-nightly-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const never = new AbortController().signal;
const program = (name: string, code: string): Step => ({ name, args: ['--eval', code] });
const passes = program('passes', 'console.log("first"); console.log("2 passed, 0 failed")');
const fails = program('fails', 'console.log("1 passed, 1 failed"); process.exit(1)');
const lacking: Step = { ...passes, name: 'lacking', lacks: 'go version fails here' };

/** Starts a process in turn, which writes its id, and waits; it hears no SIGTERM. */
const hangs = (file: string): Step =>
  program(
    'hangs',
    `const code = 'process.on("SIGTERM", () => {}); require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)';
     require('child_process').spawn(process.execPath, ['--eval', code]);
     process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`,
  );
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function runAll(steps: readonly Step[], signal = never) {
  let printed = '';
  let swept = 0;
  const code = await runNightly(
    {
      one: { settings: 'none', steps: steps.slice(0, 2) },
      two: { settings: 'none', steps: steps.slice(2) },
    },
    {
      signal,
      partLimitMs: 60_000,
      sweep: async () => void (swept += 1),
      print: (text) => {
        printed += text;
      },
    },
  );
  return { code, printed, swept, lastLine: printed.trimEnd().split('\n').at(-1) };
}

test('all parts run, also after one that failed, and a table has their results', async () => {
  const { code, printed, swept, lastLine } = await runAll([fails, lacking, passes]);

  expect(code).toBe(1);
  expect(printed).toContain('=== two: none; at most 1 minutes');
  expect(printed).toMatch(/fails +failed +0:00 +1 passed, 1 failed\n/);
  expect(printed).toMatch(/lacking +skipped +0:00 +go version fails here\n/);
  expect(printed).toMatch(/passes +passed +0:00 +2 passed, 0 failed\n/);
  expect(lastLine).toBe('1 passed, 1 failed, 1 skipped');
  expect(swept).toBe(3);
});

test('without a failure the run has passed', async () => {
  const { code, lastLine } = await runAll([passes, passes, lacking]);

  expect(code).toBe(0);
  expect(lastLine).toBe('2 passed, 0 failed, 1 skipped');
});

test('after an interruption nothing more starts, and the run has failed', async () => {
  const { code, lastLine } = await runAll([passes, passes, passes], AbortSignal.abort());

  expect(code).toBe(1);
  expect(lastLine).toBe('0 passed, 3 failed, 0 skipped');
});

test('after an interruption no process of a step is left', async () => {
  const file = join(dir, 'pid');
  const stopping = new AbortController();
  const running = runStep(hangs(file), {
    limitMs: 60_000,
    signal: stopping.signal,
    stopWithinMs: 200,
  });
  await eventually(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/), {
    timeoutMs: 20_000,
  });
  stopping.abort();

  expect(await running).toMatchObject({ outcome: 'failed', said: 'interrupted' });
  const pid = Number(readFileSync(file, 'utf8'));
  await eventually(() => expect(isAlive(pid)).toBe(false));
});

test('a step that takes longer than its limit is stopped', async () => {
  const step = program('hangs', 'setInterval(() => {}, 1000)');

  expect(await runStep(step, { limitMs: 100, signal: never })).toMatchObject({
    outcome: 'failed',
    said: 'stopped after 0 min',
  });
});

test('the parts have what npm test leaves, and every group of mutants', () => {
  const parts = listParts();
  const seeded = parts['seeds']?.steps[0]?.args ?? [];

  expect(Object.keys(parts).toSorted()).toEqual(
    [
      'faults',
      'generators',
      'isolated',
      'mutants',
      'order',
      'properties',
      'sbom',
      'seeds',
    ].toSorted(),
  );
  expect(seeded).toEqual(
    expect.arrayContaining([
      'packages/channel-worker/src/testing/simulation/simulation.integration.test.ts',
      'packages/liquid/src/hostile-values.property.test.ts',
      'test/browser/widths.browser.test.ts',
    ]),
  );
  expect(parts['mutants']?.steps).toHaveLength(8);
});
