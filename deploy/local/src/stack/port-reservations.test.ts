import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from './port-reservations.ts';

// Above all ports that are assigned by `freePorts`.
const port = 40_000 + Math.floor(Math.random() * 20_000);

test('a port is reserved while its process lives, and free again when it has exited', async () => {
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], {
    stdio: 'ignore',
  });
  await once(holder, 'spawn');
  mkdirSync(join(tmpdir(), 'tidings-ports'), { recursive: true });
  writeFileSync(join(tmpdir(), 'tidings-ports', String(port)), String(holder.pid));

  const whileItLives = reservePort(port);
  holder.kill('SIGKILL');
  await once(holder, 'exit');

  expect(whileItLives).toBe(false);
  expect(reservePort(port)).toBe(true);
  expect(reservePort(port)).toBe(false);
});
