import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { freePorts } from '../stack/ports.ts';
import { readStartTime } from '../stack/process-record.ts';
import { superviseService, type SupervisedService } from './supervised-service.ts';

const ANSWERS =
  "require('node:http').createServer((q, s) => s.end('ok')).listen(process.env.PORT, '127.0.0.1'); process.on('SIGTERM', () => process.exit(0));";
const DIES = "console.log('DATABASE_URL is missing'); process.exit(1);";

let folder: string;
let lines: string[];
const running: SupervisedService[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-supervised-'));
  lines = [];
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
  rmSync(folder, { recursive: true });
});

async function supervise(
  script: string,
  watchedFolders?: readonly string[],
): Promise<SupervisedService> {
  const [port = 0] = await freePorts(1);
  const service = await superviseService({
    process: {
      name: 'sample',
      command: process.execPath,
      args: ['-e', script],
      cwd: folder,
      env: { PORT: String(port) },
      logFile: join(folder, 'sample.log'),
      runDir: join(folder, 'run'),
      stopSignal: 'SIGTERM',
      drainStage: 0,
    },
    healthUrl: `http://127.0.0.1:${port}`,
    watchedFolders,
    onLine: (line) => lines.push(line),
    onRestart: () => undefined,
  });
  running.push(service);
  return service;
}

test('a service that exits is restarted, with a console message', async () => {
  const service = await supervise(ANSWERS);
  const { pid } = service;

  service.kill('SIGKILL');
  await service.ready();

  expect(service.pid).not.toBe(pid);
  expect(lines[0]).toBe('sample exited (SIGKILL); restarting in 250 ms');
});

test('a service that was never ready is not restarted; the error has the end of its log', async () => {
  await expect(supervise(DIES)).rejects.toThrow(/sample did not start[^]*DATABASE_URL is missing/);
});

test('a stopped service stays stopped, even during a restart', async () => {
  const service = await supervise(ANSWERS);

  service.kill('SIGKILL');
  await service.stop();

  expect(readStartTime(service.pid)).toBeUndefined();
});

test('a watched service restarts when a source changes', async () => {
  const service = await supervise(ANSWERS, [folder]);
  const { pid } = service;

  writeFileSync(join(folder, 'server.ts'), '');
  await eventually(() => expect(lines).toContain('sample is ready again'));

  expect(service.pid).not.toBe(pid);
  expect(lines[0]).toBe('server.ts changed: restarting sample');
});

test('a watched service that dies stays down until a source changes', async () => {
  const service = await supervise(ANSWERS, [folder]);

  service.kill('SIGKILL');
  await eventually(() => expect(lines).toHaveLength(1));
  writeFileSync(join(folder, 'server.ts'), '');
  await service.ready();

  expect(lines[0]).toMatch(/^sample exited \(SIGKILL\); it restarts when a source changes\./);
});
