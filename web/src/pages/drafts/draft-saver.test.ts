import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ApiError, ConnectionError } from '../../api/problem.ts';
import type { StoredDraft } from '../../api/types.ts';
import { createDraftSaver } from './draft-saver.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const draftOf = (changes: Partial<StoredDraft> = {}): StoredDraft => ({
  draftId: 'd1',
  version: 1,
  createdAt: 0,
  createdBy: 'member:ada@x.example',
  updatedAt: 1_000,
  updatedBy: 'member:ada@x.example',
  content: {},
  ...changes,
});
const refusal = (status: number) =>
  new ApiError({
    type: 'about:blank',
    title: 'No',
    status,
    code: status === 409 ? 'conflict' : 'not_found',
    requestId: '',
  });

/** A service with one draft, which keeps what is asked of it. */
function service({ draft = null as StoredDraft | null, fails = [] as Error[] } = {}) {
  let stored = draft;
  const calls: string[] = [];
  const answer = (name: string, next: () => StoredDraft): Promise<StoredDraft> => {
    calls.push(name);
    const error = fails.shift();
    return error === undefined
      ? Promise.resolve().then(() => (stored = next()))
      : Promise.reject(error);
  };
  const current = (): StoredDraft => {
    if (stored === null) throw refusal(404);
    return stored;
  };
  return {
    calls,
    stored: () => stored,
    set: (next: StoredDraft | null) => (stored = next),
    requests: {
      create: (content: StoredDraft['content']) =>
        answer(`create ${JSON.stringify(content)}`, () =>
          draftOf({ draftId: stored === null ? 'd1' : 'd2', content }),
        ),
      write: (which: { readonly version: number }, content: StoredDraft['content']) =>
        answer(`write ${which.version} ${JSON.stringify(content)}`, () => {
          const { version } = current();
          if (version !== which.version) throw refusal(409);
          return draftOf({ version: version + 1, content });
        }),
      read: () => answer('read', current),
    },
  };
}

function open(given: Parameters<typeof service>[0] = {}) {
  const fake = service(given);
  const created: string[] = [];
  const saver = createDraftSaver({
    draft: fake.stored(),
    requests: fake.requests,
    onCreated: (id) => created.push(id),
  });
  return { ...fake, saver, created, state: saver.state };
}
const STEP_MS = 100;
/** Time passes, and what was waited for goes on. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    jest.advanceTimersByTime(STEP_MS);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

describe('saving', () => {
  test('begins with the first change, a second after the last one', async () => {
    const { saver, calls, created, state } = open();
    expect(state.get()).toMatchObject({ stored: null, isSaved: true });
    saver.change({ name: 'a' });
    await pass(900);
    saver.change({ name: 'ab' });
    await pass(900);
    expect(calls).toEqual([]);
    expect(state.get().isSaved).toBe(false);
    await pass(100);

    expect(calls).toEqual(['create {"name":"ab"}']);
    expect(created).toEqual(['d1']);
    expect(state.get()).toMatchObject({
      stored: { draftId: 'd1', version: 1, savedAt: 1_000 },
      isSaved: true,
    });
  });

  test('does not wait for a pause longer than ten seconds', async () => {
    const { saver, calls } = open();
    for (let typed = 0; typed < 21; typed++) {
      saver.change({ name: String(typed) });
      await pass(500);
    }

    expect(calls).toHaveLength(1);
  });

  test('is one request at a time, each with the version before', async () => {
    const { saver, calls } = open({ draft: draftOf() });
    saver.change({ name: 'a' });
    const first = saver.flush();
    saver.change({ name: 'b' });
    saver.change({ name: 'c' });
    await Promise.all([first, saver.flush()]);

    expect(calls).toEqual(['write 1 {"name":"a"}', 'write 2 {"name":"c"}']);
  });

  test('is tried again after a lost connection, and not after a refusal', async () => {
    const { saver, calls, state } = open({
      draft: draftOf(),
      fails: [new ConnectionError(null), refusal(400)],
    });
    saver.change({ name: 'a' });
    expect(await saver.flush()).toBe('failed');
    expect(state.get().error).toBeInstanceOf(ConnectionError);
    await pass(1_000);
    expect(state.get().error).toBeInstanceOf(ApiError);
    await pass(60_000);
    expect(calls).toHaveLength(2);
    saver.change({ name: 'b' });
    await pass(1_000);

    expect(state.get()).toMatchObject({ isSaved: true, error: null });
  });
});

describe('another editor', () => {
  test('who has changed it is not overwritten; what is written here waits', async () => {
    const { saver, calls, state, set } = open({ draft: draftOf() });
    const theirs = draftOf({ version: 2, content: { name: 'theirs' } });
    set(theirs);
    saver.change({ name: 'mine' });
    expect(await saver.flush()).toBe('conflict');
    saver.change({ name: 'mine too' });
    await pass(60_000);

    expect(calls).toEqual(['write 1 {"name":"mine"}', 'read']);
    expect(state.get()).toMatchObject({ conflict: theirs, isSaved: false });
  });

  test('is followed, or what is written here becomes a draft of its own', async () => {
    const theirs = draftOf({ version: 2, content: { name: 'theirs' } });
    const [following, keeping] = [open({ draft: draftOf() }), open({ draft: draftOf() })];
    for (const { saver, set } of [following, keeping]) {
      set(theirs);
      saver.change({ name: 'mine' });
      await saver.flush();
    }
    following.saver.takeTheirs(theirs);
    following.saver.change({ name: 'after theirs' });
    keeping.saver.keepAsOther();
    await pass(1_000);

    expect(following.calls.at(-1)).toBe('write 2 {"name":"after theirs"}');
    expect(keeping.calls.at(-1)).toBe('create {"name":"mine"}');
    expect(keeping.created).toEqual(['d2']);
    expect(keeping.state.get()).toMatchObject({
      stored: { draftId: 'd2', version: 1 },
      conflict: null,
      isSaved: true,
    });
  });

  test('who has sent or deleted it leaves what is written here', async () => {
    const { saver, state, set } = open({ draft: draftOf() });
    set(null);
    saver.change({ name: 'mine' });

    expect(await saver.flush()).toBe('conflict');
    expect(state.get().conflict).toBe('gone');
  });

  test('is seen while nothing waits here, and only if the version is newer', () => {
    const { saver } = open({ draft: draftOf({ version: 3 }) });
    const newer = draftOf({ version: 4, content: { name: 'theirs' } });

    expect(saver.takeNewer(draftOf({ version: 3 }))).toBe(false);
    expect(saver.takeNewer(newer)).toBe(true);
    expect(saver.latest()).toBe(newer.content);
    saver.change({ name: 'mine' });
    expect(saver.takeNewer(draftOf({ version: 5 }))).toBe(false);
    expect(saver.latest()).toEqual({ name: 'mine' });
  });

  test('is found when the draft is to be sent', async () => {
    const { saver, state, set } = open({ draft: draftOf() });
    await saver.recheck();
    expect(state.get().conflict).toBeNull();
    set(draftOf({ version: 2 }));
    await saver.recheck();

    expect(state.get().conflict).toMatchObject({ version: 2 });
  });
});

test('a draft that was sent is not saved again', async () => {
  const { saver, calls, state } = open({ draft: draftOf() });
  expect(saver.sendQuery()).toEqual({ draftId: 'd1', draftVersion: 1 });
  saver.change({ name: 'a' });
  saver.drop();
  await pass(60_000);

  expect(calls).toEqual([]);
  expect(state.get().isSaved).toBe(true);
  expect(open().saver.sendQuery()).toEqual({});
});
