import { afterAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from './port-reservations.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-reservations-'));
afterAll(() => rmSync(folder, { recursive: true }));

const port = 20_000;

test('a port is reserved while its process lives, and free again when it has exited', async () => {
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], {
    stdio: 'ignore',
  });
  await once(holder, 'spawn');
  const dir = join(folder, 'held');
  mkdirSync(dir);
  writeFileSync(join(dir, String(port)), String(holder.pid));

  const whileItLives = reservePort(port, dir);
  holder.kill('SIGKILL');
  await once(holder, 'exit');

  expect(whileItLives).toBe(false);
  expect(reservePort(port, dir)).toBe(true);
  expect(reservePort(port, dir)).toBe(false);
});

test('every user of the machine can reserve ports, under any umask', () => {
  const dir = join(folder, 'shared');
  const before = process.umask(0o077);
  try {
    expect(reservePort(port, dir)).toBe(true);
  } finally {
    process.umask(before);
  }

  expect((statSync(dir).mode & 0o7777).toString(8)).toBe('1777');
});

test('a folder that cannot be written to is an error, not a port in use', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');

  expect(() => reservePort(port, file)).toThrow('ENOTDIR');
});
