import { afterAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createMemory, TooManyPersons } from '@tidings/folds/memory';
import { connectTestDatabase } from '@tidings/testing';
import { askUsers } from './ask-users.ts';
import { foldFunnelOf } from './compile/fold-funnel.ts';
import { explainMembership } from './explain.ts';
import { foldLeaves, foldLeavesApart } from './fold-leaves.ts';
import { compileMembers, countOthers, testConditions } from './members.ts';
import { createQuestionQueue } from './question-queue.ts';
import { DAY, event, HOUR, NOW, createLeafCases, type Sketch } from './testing/leaf-cases.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const questions = createQuestionQueue(db);
const { ask, membersOf, check } = createLeafCases(db);

const funnel = {
  steps: [{ event: 'viewd' }, { event: 'chkot' }, { event: 'login' }],
  window: '1d',
};
const of = (state: string, step?: number, rest: object = {}): Condition =>
  ({
    funnel,
    state,
    ...(step !== undefined && { step }),
    within: '30d',
    ...rest,
  }) as Condition;
const did = (...times: readonly (readonly [slug: string, time: number])[]): Sketch => ({
  events: times.map(([slug, time]) => event(slug, time)),
});

const X = NOW - 5 * DAY;
const users = {
  none: {},
  later: did(['chkot', X], ['login', X + 1]),
  viewed: did(['viewd', X]),
  filled: did(['viewd', X], ['chkot', X + HOUR]),
  tooLate: did(['viewd', X], ['chkot', X + DAY + 1]),
  bought: did(['viewd', X], ['chkot', X + HOUR], ['login', X + DAY]),
  merged: { events: [event('viewd', X)], anonymous: [event('seenx', X), event('chkot', X + 5)] },
  open: did(['viewd', NOW - DAY]),
  over: did(['viewd', NOW - DAY - 1]),
  ahead: did(['viewd', NOW + 1]),
};

describe('who stands where in a funnel', () => {
  check([
    [
      'reached the first step',
      of('reached', 1),
      users,
      ['bought', 'filled', 'merged', 'open', 'over', 'tooLate', 'viewed'],
    ],
    ['reached the second, or further', of('reached', 2), users, ['bought', 'filled', 'merged']],
    ['dropped at the first', of('dropped', 1), users, ['over', 'tooLate', 'viewed']],
    ['dropped at the second', of('dropped', 2), users, ['filled', 'merged']],
    ['may still go on, to the millisecond', of('open', 1), users, ['open']],
    ['converted', of('converted'), users, ['bought']],
    [
      'did not drop out',
      { not: of('dropped', 1) },
      users,
      ['ahead', 'bought', 'filled', 'later', 'merged', 'none', 'open'],
    ],
    [
      'several at once, by one fold and by two',
      { all: [of('reached', 1), { not: of('converted') }, of('dropped', 2, { within: '60d' })] },
      users,
      ['filled', 'merged'],
    ],
  ]);

  const edges = {
    before: did(['viewd', X - 1]),
    first: did(['viewd', X]),
    last: did(['viewd', X + HOUR - 1]),
    after: did(['viewd', X + HOUR]),
    goesOn: did(['viewd', X + HOUR - 1], ['chkot', X + 2 * HOUR]),
  };
  const between = { within: undefined, from: X, to: X + HOUR };
  check([
    [
      'entered from an instant to another one, which is not included',
      of('reached', 1, between),
      edges,
      ['first', 'goesOn', 'last'],
    ],
    ['went on after it', of('reached', 2, between), edges, ['goesOn']],
    [
      'entered within a time to the millisecond',
      of('reached', 1, { within: '1d' }),
      { at: did(['viewd', NOW - DAY]), in: did(['viewd', NOW - DAY + 1]) },
      ['in'],
    ],
  ]);

  test('a funnel by its slug; one that was deleted since has no people', async () => {
    const named = (slug: string): Condition => ({
      funnel: slug,
      state: 'dropped',
      step: 1,
      within: '30d',
    });
    const change = { funnels: new Map([['buying', funnel]]) };

    expect(await membersOf(named('buying'), users, change)).toEqual(['over', 'tooLate', 'viewed']);
    expect(await membersOf(named('gone'), users, change)).toEqual([]);
  });

  test('a definition that was deleted since has no events', async () => {
    const gone = {
      ...funnel,
      steps: [{ event: 'viewd' }, { event: 'nosuch', where: [{ attribute: 'a', is: 1 }] }],
    };

    expect(await membersOf(of('reached', 2, { funnel: gone }), users)).toEqual([]);
    expect(
      await membersOf(
        of('reached', 1, { funnel: { ...gone, steps: gone.steps.toReversed() } }),
        users,
      ),
    ).toEqual([]);
  });
});

describe('an explanation', () => {
  const explain = async (customUserId: string, condition = of('dropped', 2)) => {
    const { question } = await ask(condition, users, {});
    return (await explainMembership(db.sql, question, { customUserId }))?.tree;
  };

  test('says how far the user came, and how they stand', async () => {
    expect(await explain('filled')).toEqual([
      { pointer: '', key: 'funnel', result: true, evidence: { reached: 2, state: 'dropped' } },
    ]);
    expect(await explain('open')).toMatchObject([
      { result: false, evidence: { reached: 1, state: 'open' } },
    ]);
    expect(await explain('bought')).toMatchObject([
      { result: false, evidence: { reached: 3, state: 'converted' } },
    ]);
  });

  test('of who never entered has no evidence', async () => {
    expect(await explain('later')).toEqual([{ pointer: '', key: 'funnel', result: false }]);
  });

  test('of an instant of the past has the events of then', async () => {
    const { question } = await ask(of('open', 1), users, {});

    expect(
      await explainMembership(
        db.sql,
        { ...question, now: X + HOUR - 1 },
        { customUserId: 'filled', isPast: true },
      ),
    ).toMatchObject({ isMember: true, tree: [{ evidence: { reached: 1, state: 'open' } }] });
  });
});

test('several conditions of one user, and others of all users', async () => {
  const conditions = [of('reached', 1), of('converted'), of('dropped', 2)];
  const { question } = await ask(of('reached', 1), users, {});
  const { context, now } = question;

  expect(
    await testConditions(db.sql, { context, now, conditions, customUserId: 'filled' }),
  ).toEqual([true, false, true]);
  expect(
    await questions.ask(context.applicationId, (sql) =>
      countOthers(sql, { ...question, memoryMiB: 16 }, conditions),
    ),
  ).toEqual({ count: 7, counts: [7, 1, 2] });
});

describe('more persons than memory holds', () => {
  const many = async () => {
    const asked = await ask(of('reached', 1), users, {});
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
       select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', $2, now()
       from generate_series(1, 20000) n`,
      [asked.question.context.applicationId, X],
    );
    return asked.question;
  };

  test('end a question about all users, none about few', async () => {
    const question = { ...(await many()), memoryMiB: 1 };

    await expect(
      questions.ask(question.context.applicationId, (sql) => countOthers(sql, question, [])),
    ).rejects.toThrow(TooManyPersons);
    expect(await explainMembership(db.sql, question, { customUserId: 'filled' })).toMatchObject({
      isMember: true,
    });
    expect(
      await questions.ask(question.context.applicationId, (sql) =>
        countOthers(sql, { ...question, memoryMiB: 16 }, []),
      ),
    ).toMatchObject({ count: 7 });
  });

  test('end a fold in a transaction of its own', async () => {
    const { context, condition, now } = await many();
    const asked = { context, conditions: [condition], now };

    await expect(foldLeavesApart(db, asked, { memoryMiB: 1, timeoutMs: 15_000 })).rejects.toThrow(
      TooManyPersons,
    );
    const folded = await foldLeavesApart(db, asked, { memoryMiB: 16, timeoutMs: 15_000 });
    const { text, values } = compileMembers({ context, condition, now }, folded);
    expect((await db.sql.query(text, [...values])).rows).toHaveLength(7);
  });
});

test('a fold whose work has ended does not begin', async () => {
  const { question } = await ask(of('reached', 1), users, {});
  const { context, condition, now } = question;
  const aborted = AbortSignal.abort();

  await expect(
    foldLeavesApart(
      db,
      { context, conditions: [condition], now },
      { memoryMiB: 16, timeoutMs: 15_000, signal: aborted },
    ),
  ).rejects.toThrow('aborted');
});

test('a statement without its funnels is not compiled', async () => {
  const { question } = await ask(of('reached', 1), users, {});

  expect(() => compileMembers(question)).toThrow('was not folded');
});

test('only the events of given users are read, by an index of theirs', async () => {
  const { question, persons } = await ask(of('reached', 1), users, {});
  const { context, now } = question;
  const statements: string[] = [];
  await askUsers(db, (sql) =>
    foldFunnelOf(
      {
        query: ((text: string, values: unknown[]) => {
          statements.push(text);
          return sql.query(text, values);
        }) as typeof sql.query,
      },
      { context, funnel, from: 0, to: now + 1, now },
      { userIds: persons.slice(0, 2).map(({ id }) => id) },
    ).then(async (found) => {
      expect(found.ids).toHaveLength(2);
      return found;
    }),
  );

  expect(statements).toHaveLength(1);
  expect(statements[0]).toContain('e.user_id = o.id and e.slug =');
});

test('funnels of all persons are folded in the transaction of their statement', async () => {
  const { question } = await ask(of('dropped', 2), users, {});
  const { context, condition, now } = question;

  const folded = await questions.ask(context.applicationId, (sql) =>
    foldLeaves(sql, { context, conditions: [condition, condition], now }, createMemory(16)),
  );

  // One for equal leaves.
  expect(folded).toMatchObject({ size: 1 });
});
