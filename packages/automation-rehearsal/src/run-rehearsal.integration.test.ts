import { afterAll, describe, expect, test } from '@jest/globals';
import type { AutomationNode } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import { forgetRehearsedPeople } from './forget-people.ts';
import { deleteOldRehearsals } from './retention.ts';
import { runNextRehearsal } from './run-rehearsal.ts';
import { listPeople, readPeople } from './stored-people.ts';
import { cart, event, HOUR_MS, mail, rehearsalRig } from './testing/rig.ts';

// Of its own: what waits in any application is run.
const db = await createOwnDatabase();
afterAll(() => db.close());

const hour: AutomationNode = { id: 'hour', delay: '1h' };
const start = Date.now() - 20 * HOUR_MS;

describe('a request', () => {
  test('of a period that cannot be is refused, with its pointer', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([hour]));
    const now = Date.now();
    const faults = async (from: number, to: number) => {
      const answer = await rig.request({ from, to });
      return typeof answer === 'object' && 'errors' in answer
        ? answer.errors.map(({ pointer, code }) => `${pointer} ${code}`)
        : answer;
    };

    expect(await faults(now - HOUR_MS, now + HOUR_MS)).toEqual(['/to out_of_range']);
    expect(await faults(now - HOUR_MS, now - HOUR_MS)).toEqual(['/from out_of_range']);
    expect(await faults(now - 93 * 24 * HOUR_MS, now - 1_000)).toEqual(['/from out_of_range']);
  });

  test('names the faults of a definition, and what stored events cannot tell', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([hour]));
    const faults = async (definition: unknown) => {
      const answer = await rig.request({ definition });
      return typeof answer === 'object' && 'errors' in answer
        ? answer.errors.map(({ pointer }) => pointer)
        : answer;
    };

    expect(await faults({ ...cart([hour]), nodes: [{ id: 'a', delay: 'soon' }] })).toEqual([
      '/definition/nodes/0/delay',
    ]);
    expect(await faults(cart([hour], { trigger: { api: true } }))).toEqual(['/definition/trigger']);
    const relative = [{ attribute: 'on', before: { ahead: '1d' } }];
    expect(
      await faults(
        cart(
          [
            {
              id: 'wait',
              waitFor: { event: event('order'), where: relative },
              timeout: '1h',
              ['then' as const]: [],
              else: [],
            },
          ],
          { exit: [{ event: event('order'), where: relative }] },
        ),
      ),
    ).toEqual(['/definition/exit/0/where/0', '/definition/nodes/0/waitFor/where/0']);
  });

  test('is the only one of its application until it has ended', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([hour]));
    const id = await rig.requested();

    expect(await rig.request()).toBe('running');
    expect(await rig.read(id)).toMatchObject({ status: 'running', asOf: null, entered: 0 });
    await rig.run();
    expect(await rig.requested()).not.toBe(id);
    await rig.run();
  });
});

describe('a bound', () => {
  test('of events cuts a rehearsal: some people are left out, at random', async () => {
    const people = Array.from({ length: 8 }, (_each, index) => `p${index}`);
    const rig = await rehearsalRig(db, people);
    for (const of of people) await rig.store({ name: 'cartd', of, at: start });

    const result = await rig.rehearse(
      cart([mail('mail1')]),
      {},
      { bounds: { events: 3, ms: 1e6 } },
    );

    expect(result).toMatchObject({
      status: 'completed',
      cut: 'events',
      people: { rehearsed: 3, of: 8 },
      events: 3,
      entered: 3,
    });
  });

  test('of time cuts it, too', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob']);
    await rig.store({ name: 'cartd', at: start }, { name: 'cartd', of: 'bob', at: start });

    const result = await rig.rehearse(cart([mail('mail1')]), {}, { bounds: { events: 10, ms: 0 } });

    expect(result).toMatchObject({ cut: 'time', people: { rehearsed: 0, of: 2 }, entered: 0 });
  });
});

describe('someone with many events', () => {
  const many = Array.from({ length: 400 }, (_each, index) => ({
    name: 'cartd',
    at: start + index * 1_000,
  }));
  /** A look at the clock takes a second. */
  const slowClock = () => {
    let ms = 0;
    return { monotonicMs: () => (ms += 1_000) };
  };

  test('is ended by the bound of time, too', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(...many);

    const result = await rig.rehearse(
      cart([mail('mail1')]),
      {},
      { clock: slowClock(), bounds: { events: 1e6, ms: 4_000 } },
    );

    expect(result).toMatchObject({ status: 'completed', cut: 'time' });
    expect(result.entered).toBeGreaterThan(0);
    expect(result.entered).toBeLessThan(400);
  });

  test('does not keep the process from stopping', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(...many);
    await rig.write(cart([mail('mail1')]));
    const id = await rig.requested();
    const stop = new AbortController();
    const clock = slowClock();
    const monotonicMs = () => {
      const now = clock.monotonicMs();
      if (now > 3_000) stop.abort();
      return now;
    };

    await expect(
      runNextRehearsal(db, { clock: { monotonicMs }, signal: stop.signal }),
    ).rejects.toThrow();
    expect(await rig.read(id)).toMatchObject({ status: 'running' });
    await rig.run();
  });

  test('is left out when there are too many, and others are not', async () => {
    const people = ['ada', 'bob', 'cem', 'dan'];
    const rig = await rehearsalRig(db, people);
    for (const of of people) await rig.store({ name: 'cartd', of, at: start });
    await rig.store(...many.slice(0, 10));

    const result = await rig.rehearse(
      cart([mail('mail1')]),
      {},
      { bounds: { events: 1e6, ms: 1e6, eventsOfPerson: 10 } },
    );

    expect(result).toMatchObject({
      cut: 'events',
      people: { rehearsed: 3, of: 4 },
      events: 3,
      entered: 3,
    });
  });
});

test('people are listed at once, however many there are, in an order of no meaning', async () => {
  const rig = await rehearsalRig(db);
  await rig.store({ name: 'cartd', at: start });
  const people = 20_001;
  await db.sql.query(
    `with stored as (
       insert into users (id, application_id, custom_user_id, registered_at)
       select uuidv7(), application_id, 'many-' || n, registered_at
       from users, generate_series(2, $2) n
       where application_id = $1
       returning id
     )
     insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
       time, received_at, is_proved)
     select uuidv7(), 0, $1, s.id, s.id::text, 'action', e.slug, e.time, e.received_at, true
     from stored s, events e
     where e.application_id = $1`,
    [rig.applicationId, people],
  );
  const period = { from: start - HOUR_MS, to: start + HOUR_MS };
  const { rows } = await db.sql.query<{ slug: string }>(
    'select distinct slug from events where application_id = $1',
    [rig.applicationId],
  );
  const asked = {
    applicationId: rig.applicationId,
    slugs: rows.map(({ slug }) => slug),
    ...period,
  };
  const list = (limit: number) => listPeople(db.sql, { ...asked, limit });

  const all = await list(1e6);
  expect(all).toMatchObject({ count: people, length: people });
  const ids = [...all.at(0, 20_000), ...all.at(20_000, 20_000)];
  expect(new Set(ids).size).toBe(people);
  // A shorter list has the first of them.
  const some = await list(100);
  expect(some).toMatchObject({ count: people, length: 100 });
  expect(some.at(0, 1_000)).toEqual(ids.slice(0, 100));

  await db.sql.query('update users set registered_at = null where id = $1', [ids[1]]);
  const read = await readPeople(db.sql, ids.slice(0, 3));
  expect(read.map(({ userId }) => userId.replaceAll('-', ''))).toEqual([ids[0], ids[2]]);
});

test('the latest hundred of an application are kept', async () => {
  const rig = await rehearsalRig(db);
  await rig.store({ name: 'cartd', at: start });
  const { rehearsalId: first } = await rig.rehearse(cart([mail('mail1')]));
  const other = await rehearsalRig(db);
  await other.store({ name: 'cartd', at: start });
  const { rehearsalId: ofOther } = await other.rehearse(cart([mail('mail1')]));
  await db.sql.query(
    `insert into rehearsals (application_id, automation_id, definition, from_at, to_at, created_by,
       status, created_at)
     select application_id, automation_id, definition, from_at, to_at, created_by, status,
       created_at + n * interval '1 ms'
     from rehearsals, generate_series(1, 99) n
     where id = $1`,
    [first],
  );

  expect(await rig.read(first)).toMatchObject({ entered: 1 });
  const last = await rig.requested();

  await expect(rig.read(first)).rejects.toThrow('no such rehearsal');
  expect(await rig.read(last)).toMatchObject({ status: 'running' });
  expect(await other.read(ofOther)).toMatchObject({ entered: 1 });
  const left = await db.sql.query<{ rehearsals: number; traces: number }>(
    `select (select count(*)::int from rehearsals where application_id = $1) as rehearsals,
       (select count(*)::int from rehearsal_traces where application_id = $1) as traces`,
    [rig.applicationId],
  );
  expect(left.rows).toEqual([{ rehearsals: 100, traces: 0 }]);
  await rig.run();
});

describe('a process that runs it', () => {
  const attempt = async (id: string) =>
    (await db.sql.query('select status, error, attempts from rehearsals where id = $1', [id]))
      .rows[0] as unknown;
  const lose = (id: string) =>
    db.sql.query(
      `update rehearsals set lease_until = now() - interval '1 s', attempts = attempts + 1 where id = $1`,
      [id],
    );

  test('and is killed leaves it to another one, three times', async () => {
    const rig = await rehearsalRig(db);
    await rig.store({ name: 'cartd', at: start });
    await rig.write(cart([mail('mail1')]));
    const id = await rig.requested();
    await lose(id);
    await rig.run();
    const again = await rig.requested();
    for (let kill = 0; kill < 3; kill += 1) await lose(again);
    await rig.run();

    expect(await rig.read(id)).toMatchObject({ status: 'completed', entered: 1 });
    expect(await rig.read(again)).toMatchObject({ status: 'failed', error: 'interrupted' });
  });

  test('has it alone while its lease lasts', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([mail('mail1')]));
    const id = await rig.requested();
    await db.sql.query(
      `update rehearsals set lease_until = now() + interval '1 minute', attempts = 1 where id = $1`,
      [id],
    );

    expect(await runNextRehearsal(db, rig.tools)).toBe(false);
    await lose(id);
    await rig.run();
  });

  test('and stops gives it back', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([mail('mail1')]));
    const id = await rig.requested();

    await expect(
      runNextRehearsal(db, { ...rig.tools, signal: AbortSignal.abort() }),
    ).rejects.toThrow();
    expect(await attempt(id)).toMatchObject({ status: 'running', attempts: 0 });
    await rig.run();
    expect(await attempt(id)).toMatchObject({ status: 'completed' });
  });

  test('and fails says so', async () => {
    const rig = await rehearsalRig(db);
    await rig.write(cart([mail('mail1')]));
    const id = await rig.requested();
    await db.sql.query(`update rehearsals set definition = '{"trigger": {}}' where id = $1`, [id]);

    await expect(runNextRehearsal(db, rig.tools)).rejects.toThrow();
    expect(await attempt(id)).toMatchObject({ status: 'failed', error: 'internal' });
  });
});

test('what it shows of people goes with them, and all of it after seven days', async () => {
  const rig = await rehearsalRig(db, ['ada', 'bob']);
  await rig.store({ name: 'cartd', at: start }, { name: 'cartd', of: 'bob', at: start });
  const { rehearsalId } = await rig.rehearse(cart([mail('mail1')]));
  const { rows } = await db.sql.query<{ id: string }>(
    `select id from users where application_id = $1 and custom_user_id = 'ada'`,
    [rig.applicationId],
  );
  await forgetRehearsedPeople(
    db.sql,
    rows.map(({ id }) => id),
  );
  const { traces, entered } = await rig.read(rehearsalId);

  expect(entered).toBe(2);
  expect(traces.map(({ customUserId }) => customUserId)).toEqual(['bob']);

  await deleteOldRehearsals(db.sql, 100);
  expect(await rig.read(rehearsalId)).toMatchObject({ entered: 2 });
  await db.sql.query(
    `update rehearsals set created_at = created_at - interval '8 days' where application_id = $1`,
    [rig.applicationId],
  );
  await deleteOldRehearsals(db.sql, 100);
  const left = await db.sql.query(
    'select from rehearsal_traces where application_id = $1 union all select from rehearsals where application_id = $1',
    [rig.applicationId],
  );
  expect(left.rowCount).toBe(0);
});
