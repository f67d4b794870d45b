import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from '@jest/globals';
import { systemClock } from '@tidings/platform';
import {
  createOwnDatabase,
  createRecordingLogger,
  createRelay,
  eventually,
  publicTestDatabaseUrl,
  testDatabaseUrl,
  type Relay,
} from '@tidings/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { connectDedicated } from './dedicated-connection.ts';
import { SessionLock, type LockMode } from './session-lock.ts';

jest.setTimeout(60_000);

let db: Database;
let databaseUrl: string;
const at = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: name }).href;

beforeAll(async () => {
  // Locks are of one database: those of other tests do not matter.
  db = await createOwnDatabase({ poolMax: 2 });
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  databaseUrl = at(testDatabaseUrl(), `/${rows[0]?.name}`);
});
afterAll(() => db.close());

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await eventually(async () => {
    if ((await holders()).length > 0) throw new Error('the lock is held still');
  });
});

/** A process that takes the lock. */
function take(mode: LockMode, url = databaseUrl) {
  const { logger, lines } = createRecordingLogger();
  const events: string[] = [];
  const lock = new SessionLock({
    databaseUrl: url,
    applicationName: 'test-lock',
    lock: 'coordination',
    mode,
    timers: systemClock,
    logger,
    onRefused: (held) => events.push(`refused by ${held}`),
    onTaken: () => events.push('taken'),
  });
  closing.push(() => lock.release());
  lock.held.then(
    () => events.push('held'),
    () => events.push('failed'),
  );
  return { lock, events, lines };
}

async function holders(): Promise<{ pid: number; mode: string }[]> {
  const { rows } = await db.sql.query<{ pid: number; mode: string }>(
    `select pid, mode from pg_locks where locktype = 'advisory' and granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows;
}

const EXCLUSIVE = [{ pid: expect.any(Number), mode: 'ExclusiveLock' }];

describe('a lock is refused', () => {
  test.each([
    ['exclusive', 'exclusive'],
    ['exclusive', 'shared'],
    ['shared', 'exclusive'],
  ] as const)('while it is held %s, to who wants it %s', async (held, wanted) => {
    const holder = take(held);
    await holder.lock.held;

    const waiter = take(wanted);
    await eventually(() => expect(waiter.events.length).toBeGreaterThan(1));

    expect(new Set(waiter.events)).toEqual(new Set([`refused by ${held}`]));
    await holder.lock.release();
    await waiter.lock.held;
    expect(holder.events).toEqual(['held']);
    expect(await holders()).toHaveLength(1);
  });

  test('not to any number that share it, nor by a waiter to those that share it', async () => {
    const sharing = [take('shared'), take('shared')];
    await Promise.all(sharing.map(({ lock }) => lock.held));
    const waiter = take('exclusive');
    await eventually(() => expect(waiter.events).toContain('refused by shared'));

    const later = take('shared');
    await later.lock.held;

    expect(await holders()).toHaveLength(3);
    for (const { lock } of [...sharing, later]) await lock.release();
    await waiter.lock.held;
    expect(await holders()).toEqual(EXCLUSIVE);
  });
});

describe('a lock is free again', () => {
  test('when the process that holds it is killed', async () => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'testing', 'hold-lock.ts'), databaseUrl],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    closing.push(async () => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const waiter = take('exclusive');
    await eventually(() => expect(waiter.events).toContain('refused by exclusive'));

    child.kill('SIGKILL');

    await waiter.lock.held;
    expect(await holders()).toEqual(EXCLUSIVE);
  });

  test('when Postgres ended the session, and the first of both to ask has it', async () => {
    const holder = take('exclusive');
    await holder.lock.held;
    const waiter = take('exclusive');
    await eventually(() => expect(waiter.events).toContain('refused by exclusive'));
    const [session] = await holders();

    await db.sql.query('select pg_terminate_backend($1)', [session?.pid]);

    // Either the holder takes it again, or the waiter has it and the holder learns it.
    await eventually(() =>
      expect(
        holder.lines.some(({ msg }) => msg === 'the lock is held again') !==
          (waiter.events.includes('held') && holder.events.includes('taken')),
      ).toBe(true),
    );
    expect(await holders()).toEqual(EXCLUSIVE);
  });
});

describe('a lost connection', () => {
  let relay: Relay;
  beforeEach(async () => {
    relay = await createRelay(databaseUrl);
    closing.push(() => relay.close());
  });

  test('is replaced, and the lock taken again', async () => {
    const holder = take('exclusive', relay.url);
    await holder.lock.held;
    const before = await holders();

    relay.set('refuse');
    await eventually(() =>
      expect(holder.lines.map(({ msg }) => msg)).toEqual([
        'the connection that holds the lock was lost, taking the lock again',
        'cannot take the lock in Postgres, retrying',
      ]),
    );
    await eventually(async () => expect(await holders()).toEqual([]));
    relay.set('pass');

    await eventually(async () => expect(await holders()).toEqual(EXCLUSIVE));
    expect(await holders()).not.toEqual(before);
    expect(holder.events).toEqual(['held']);
  });

  test('of which Postgres knows nothing yet does not refuse the process its own lock', async () => {
    const holder = take('exclusive', relay.url);
    await holder.lock.held;
    const [before] = await holders();

    relay.abandon();

    await eventually(() =>
      expect(holder.lines).toContainEqual(
        expect.objectContaining({ msg: 'the lock is held again' }),
      ),
    );
    expect(holder.events).toEqual(['held']);
    expect(await holders()).toEqual(EXCLUSIVE);
    expect((await holders())[0]?.pid).not.toBe(before?.pid);
  });

  test('is reported once another process has the lock', async () => {
    const holder = take('exclusive', relay.url);
    await holder.lock.held;

    relay.set('refuse');
    const other = take('exclusive');
    await other.lock.held;
    expect(holder.events).toEqual(['held']);
    relay.set('pass');

    await eventually(() => expect(holder.events).toEqual(['held', 'taken']));
    expect(other.events.at(-1)).toBe('held');
    expect(await holders()).toEqual(EXCLUSIVE);
  });

  test('of a waiter is replaced', async () => {
    const holder = take('shared');
    await holder.lock.held;
    const waiter = take('exclusive', relay.url);
    await eventually(() => expect(waiter.events).toContain('refused by shared'));

    relay.set('refuse');
    await holder.lock.release();
    await eventually(() =>
      expect(waiter.lines.map(({ msg }) => msg)).toEqual([
        'cannot take the lock in Postgres, retrying',
      ]),
    );
    relay.set('pass');

    await waiter.lock.held;
  });
});

test('a lock released while it is waited for is never taken', async () => {
  const holder = take('exclusive');
  await holder.lock.held;
  const waiter = take('exclusive');
  await eventually(() => expect(waiter.events).toContain('refused by exclusive'));

  await waiter.lock.release();
  await expect(waiter.lock.held).rejects.toThrow('released');
  await holder.lock.release();

  await eventually(async () => expect(await holders()).toEqual([]));
});

test('a wrong password is an error, not waited for', async () => {
  const url = new URL(databaseUrl);
  url.password = 'of-yesterday';

  await expect(take('shared', url.href).lock.held).rejects.toMatchObject({
    message: expect.stringContaining('password'),
  });
});

test('the role of the services that face the internet may take it, also after a lost connection', async () => {
  const relay = await createRelay(at(publicTestDatabaseUrl(), new URL(databaseUrl).pathname));
  closing.push(() => relay.close());
  const holder = take('exclusive', relay.url);
  await holder.lock.held;
  const waiter = take('shared', at(publicTestDatabaseUrl(), new URL(databaseUrl).pathname));
  await eventually(() => expect(waiter.events).toContain('refused by exclusive'));
  await waiter.lock.release();

  relay.abandon();

  await eventually(() =>
    expect(holder.lines).toContainEqual(expect.objectContaining({ msg: 'the lock is held again' })),
  );
  expect(holder.events).toEqual(['held']);
});

test('Postgres notices a lost peer within 20 s, and never ends an idle session', async () => {
  const client = await connectDedicated({ databaseUrl, applicationName: 'test-settings' });
  closing.push(() => client.end());
  const show = async (name: string): Promise<unknown> =>
    Object.values((await client.query<Record<string, unknown>>(`show ${name}`)).rows[0] ?? {})[0];

  const idle = Number(await show('tcp_keepalives_idle'));
  const interval = Number(await show('tcp_keepalives_interval'));
  const count = Number(await show('tcp_keepalives_count'));

  expect(idle + interval * count).toBe(19);
  expect(await show('tcp_user_timeout')).toBe('20000');
  expect(await show('idle_session_timeout')).toBe('0');
});
