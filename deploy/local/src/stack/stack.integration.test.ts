/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeLayout } from '../home.ts';
import { readStartTime } from './process-record.ts';
import { probeKafka, probeRedis } from './probe.ts';
import { startStack, type Stack } from './stack.ts';
import type { StackComponent } from './component.ts';

const START_WITHIN_MS = 90_000;

let home: string;
let stack: Stack;
/** Promoted standbys. */
const primaries: StackComponent[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tidings-stack-'));
  stack = await startStack({
    home,
    env: { PATH: process.env['PATH'], JAVA_HOME: process.env['JAVA_HOME'] },
    isDurable: false,
    hasUsualPorts: false,
    has: { kafka: true, redis: true },
  });
}, START_WITHIN_MS);

afterAll(async () => {
  await stack.stop();
  rmSync(home, { recursive: true });
}, START_WITHIN_MS);

function partOf(name: 'postgres' | 'kafka' | 'redis'): StackComponent {
  const part = stack.parts[name];
  if (part === undefined) throw new Error(`${name} was not started`);
  return part;
}

async function query(statement: string, databaseUrl = stack.databaseUrl): Promise<unknown[]> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'test' });
  try {
    return (await db.sql.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await db.close();
  }
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

test(
  'a killed Postgres restarts with its rows',
  async () => {
    await query('create table kept as select 1 as id');

    partOf('postgres').kill('SIGKILL');
    await partOf('postgres').start();

    expect(await query('select id from kept')).toEqual([{ id: 1 }]);
  },
  START_WITHIN_MS,
);

test(
  'a killed Postgres starts again when its last process has gone',
  async () => {
    const db = connectDatabase({
      databaseUrl: stack.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
    });
    const { rows } = await db.sql.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    const log = homeLayout(home).logFile('postgres');

    process.kill(pid, 'SIGSTOP');
    partOf('postgres').kill('SIGKILL');
    const starting = partOf('postgres').start();
    await eventually(() =>
      expect(readFileSync(log, 'utf8')).toContain('pre-existing shared memory'),
    );
    process.kill(pid, 'SIGCONT');

    await starting;
    expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
  },
  START_WITHIN_MS,
);

test(
  'the log of Postgres names the service and the fault of a statement, and no value of it',
  async () => {
    await query('create table people (email text primary key)');
    await query(`insert into people values ('canary-key')`);
    for (const statement of [
      `set statement_timeout = 10; select pg_sleep(60), 'canary-text'`,
      `insert into people values ('canary-key')`,
      `insert into people values (null)`,
    ])
      await expect(query(statement)).rejects.toThrow(/./);

    const log = readFileSync(homeLayout(home).logFile('postgres'), 'utf8');
    expect(log).not.toContain('canary');
    expect(log).not.toContain('select pg_sleep');
    expect(log).toMatch(
      /\[\d+\] test 57014 ERROR: {2}canceling statement due to statement timeout/,
    );
    expect(log).toMatch(/test 23505 ERROR: {2}duplicate key value violates unique constraint/);
    expect(log).toMatch(/test 23502 ERROR/);
  },
  START_WITHIN_MS,
);

test(
  'a stopped Kafka is unreachable, and restarts on the same port',
  async () => {
    const { pid } = partOf('kafka');

    await partOf('kafka').stop();
    const wasAway = !(await probeKafka(portOf(stack.kafkaBrokers)));
    await partOf('kafka').start();

    expect(wasAway).toBe(true);
    expect(readStartTime(pid)).toBeUndefined();
    expect(await probeKafka(portOf(stack.kafkaBrokers))).toBe(true);
  },
  START_WITHIN_MS,
);

test(
  'a frozen component does not answer, and continues when thawed',
  async () => {
    partOf('redis').kill('SIGSTOP');
    const wasAway = !(await probeRedis(portOf(stack.redisUrl)));
    partOf('redis').kill('SIGCONT');

    expect(wasAway).toBe(true);
    expect(await probeRedis(portOf(stack.redisUrl))).toBe(true);
  },
  START_WITHIN_MS,
);

test(
  'standbys are promoted one after the other with every acknowledged commit of the killed primary',
  async () => {
    await query('create table followed (id int)');

    for (const id of [1, 2]) {
      const primary = primaries.at(-1) ?? partOf('postgres');
      const standby = await stack.addStandby();
      await query(`insert into followed values (${id})`, primary.url);
      primary.kill('SIGKILL');
      await standby.promote();
      primaries.push(standby);
    }

    expect(await query('select id from followed order by id', primaries.at(-1)?.url)).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    await partOf('postgres').start();
  },
  START_WITHIN_MS,
);

test(
  'external stores are used and not started',
  async () => {
    const env = {
      DATABASE_URL: stack.databaseUrl,
      KAFKA_BROKERS: stack.kafkaBrokers,
      REDIS_URL: stack.redisUrl,
    };
    const borrowed = await startStack({
      home: join(home, 'borrowed'),
      env,
      isDurable: false,
      hasUsualPorts: false,
      has: { kafka: true, redis: true },
    });

    await borrowed.stop();

    expect(borrowed.parts).toEqual({});
    expect(borrowed.databaseUrl).toBe(stack.databaseUrl);
    expect(await probeKafka(portOf(stack.kafkaBrokers))).toBe(true);
  },
  START_WITHIN_MS,
);
