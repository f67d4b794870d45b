import { afterEach, expect, test } from '@jest/globals';
import { connectDatabase } from '@tidings/postgres/database';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeLayout } from '../home.ts';
import type { StackComponent } from './component.ts';
import { onFreePort } from './on-free-port.ts';
import { freePorts } from './ports.ts';
import { startPostgres } from './postgres.ts';

const START_WITHIN_MS = 90_000;

const homes: string[] = [];
const started: StackComponent[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((part) => part.stop()));
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
}, START_WITHIN_MS);

async function start(port: number): Promise<StackComponent> {
  const home = mkdtempSync(join(tmpdir(), 'tidings-starts-'));
  homes.push(home);
  mkdirSync(homeLayout(home).dataDir(''), { recursive: true });
  const part = await startPostgres({
    home,
    port,
    env: { PATH: process.env['PATH'] },
    isDurable: false,
    isSmall: true,
  });
  started.push(part);
  return part;
}

/** What it answers to the owner of its password. */
async function nameOf({ url }: StackComponent): Promise<unknown> {
  const db = connectDatabase({ databaseUrl: url, poolMax: 1, applicationName: 'test' });
  try {
    const { rows } = await db.sql.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory;
  } finally {
    await db.close();
  }
}

test(
  'a start whose port another Postgres has does not take that for its own',
  async () => {
    const [port = 0] = await freePorts(1);
    const first = await start(port);

    await expect(start(port)).rejects.toThrow('postgres exited while starting');
    const second = await onFreePort(port, start);

    expect(second.url).not.toContain(`:${port}/`);
    expect(await nameOf(first)).toContain(homes[0]);
    expect(await nameOf(second)).toContain(homes.at(-1));
  },
  START_WITHIN_MS,
);
