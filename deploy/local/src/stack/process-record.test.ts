import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import {
  readStartTime,
  findRunningProcess,
  recordProcess,
  stopRecorded,
} from './process-record.ts';

let folder: string;
const running: ManagedProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-record-'));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop(5_000)));
  rmSync(folder, { recursive: true });
});

async function startSleeper(name: string): Promise<ManagedProcess> {
  const script = 'setInterval(() => undefined, 1000)';
  const child = await startProcess({
    name,
    command: process.execPath,
    args: ['-e', script],
    cwd: folder,
    env: {},
    logFile: join(folder, 'log'),
    runDir: join(folder, 'run'),
    stopSignal: 'SIGTERM',
    drainStage: 0,
  });
  running.push(child);
  return child;
}

test('only its own account can read the record and the log of a process', async () => {
  await startSleeper('one');

  const modes = ['run', 'run/one.json', 'log'].map((name) =>
    (statSync(join(folder, name)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['700', '600', '600']);
});

test('a process left by a killed owner is stopped by its record, frozen or not', async () => {
  const children = [await startSleeper('one'), await startSleeper('two')];
  children[1]?.kill('SIGSTOP');

  const stopped = await stopRecorded(join(folder, 'run'));

  expect(stopped.toSorted()).toEqual(['one', 'two']);
  expect(children.map(({ pid }) => readStartTime(pid))).toEqual([undefined, undefined]);
});

test('a process that reuses a pid is not touched', async () => {
  const child = await startSleeper('one');
  writeFileSync(
    join(folder, 'run', 'old.json'),
    JSON.stringify({ name: 'old', pid: child.pid, bornAt: 'another moment' }),
  );
  rmSync(join(folder, 'run', 'one.json'));

  expect(await stopRecorded(join(folder, 'run'))).toEqual([]);
  expect(child.hasEnded()).toBe(false);
});

test('a process that exited by itself has no record', async () => {
  const child = await startSleeper('one');
  expect(findRunningProcess(join(folder, 'run'), 'one')?.pid).toBe(child.pid);

  await child.stop(5_000);

  expect(findRunningProcess(join(folder, 'run'), 'one')).toBeUndefined();
});

test('a partial record counts as none', () => {
  recordProcess(folder, { name: 'half', pid: process.pid, stopSignal: 'SIGTERM', drainStage: 0 });
  writeFileSync(join(folder, 'half.json'), '{"na');

  expect(findRunningProcess(folder, 'half')).toBeUndefined();
});
