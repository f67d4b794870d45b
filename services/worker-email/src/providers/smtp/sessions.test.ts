import { describe, expect, test } from '@jest/globals';
import { createEgress } from '@tidings/egress';
import { outgoingMail } from '../../testing/smtp.ts';
import type { SmtpSession } from './session.ts';
import { createSmtpSessions } from './sessions.ts';

const CONFIG = { smtpConnectTimeoutMs: 1_000, smtpSocketTimeoutMs: 1_000 };

/** What an account reads of a session. */
type State = {
  isOpen: boolean;
  isIdle: boolean;
  hasRoomBehind: boolean;
  replyMs: number | null;
  sent: number;
};

/** An account, and the states of the sessions that it opened. */
function accountOf() {
  const opened: State[] = [];
  const sessions = createSmtpSessions(
    CONFIG,
    { egress: createEgress({ egressAllowedNetworks: [] }) },
    async () => {
      const state: State & Pick<SmtpSession, 'close'> = {
        isOpen: true,
        isIdle: true,
        hasRoomBehind: false,
        replyMs: null,
        sent: 0,
        close: () => void (state.isOpen = false),
      };
      opened.push(state);
      return state as unknown as SmtpSession;
    },
  );
  const account = sessions.accountOf(outgoingMail(25));
  const { signal } = new AbortController();
  /** Begins a mail: over which session, or null over a new one. */
  const begin = async (mayWaitBehind = true) => {
    const taken = account.take({ mayWaitBehind });
    const session = taken ?? (await account.connect(signal));
    const state = session as unknown as State;
    state.hasRoomBehind = state.isIdle;
    state.isIdle = false;
    state.sent += 1;
    return { session, state, isNew: taken === undefined };
  };
  const end = ({ session, state }: Awaited<ReturnType<typeof begin>>, replyMs: number) => {
    Object.assign(state, { isIdle: true, hasRoomBehind: false, replyMs });
    account.release(session);
  };
  return { account, sessions, opened, begin, end };
}

describe('connections of an account', () => {
  test('before the first reply each mail has its own', async () => {
    const { begin, opened } = accountOf();
    for (let mails = 0; mails < 20; mails += 1) expect((await begin()).isNew).toBe(true);

    expect(opened).toHaveLength(20);
  });

  test.each([
    // Never fewer than four.
    [0.2, 8, 4],
    [0.2, 20, 10],
    // 2,500 a second at 4 ms each.
    [4, 20, 10],
    [4, 12, 10],
    [4, 6, 6],
    [500, 20, 20],
  ])(
    'of a server that takes %d ms for a mail: %i mails go over %i connections',
    async (replyMs, mails, connections) => {
      const { begin, end, opened } = accountOf();
      end(await begin(), replyMs);
      for (let sent = 0; sent < mails; sent += 1) await begin();

      expect(opened).toHaveLength(connections);
    },
  );

  test('the time in which it answers is a mean', async () => {
    const { begin, end, opened } = accountOf();
    end(await begin(), 4);
    for (const replyMs of [4, 4, 500, 4, 4]) end(await begin(), replyMs);
    for (let sent = 0; sent < 20; sent += 1) await begin();

    expect(opened).toHaveLength(20);
  });

  test('a mail that may not wait has one of its own', async () => {
    const { begin, end, opened } = accountOf();
    end(await begin(), 1);
    for (let sent = 0; sent < 4; sent += 1) await begin();
    expect((await begin()).isNew).toBe(false);
    expect((await begin(false)).isNew).toBe(true);

    expect(opened).toHaveLength(5);
  });

  test('one whose mail ended is used again, the last one first; one that closed is not', async () => {
    const { begin, end } = accountOf();
    const [first, second] = [await begin(), await begin()];
    end(first, 5);
    end(second, 5);
    const third = await begin();
    expect(third.session).toBe(second.session);
    third.state.isOpen = false;
    end(third, 5);

    expect((await begin()).session).toBe(first.session);
  });

  test('one that another mail uses stays; released by both it is there once', async () => {
    const { account, begin, end, opened } = accountOf();
    const first = await begin();
    account.release(first.session);
    expect((await begin()).isNew).toBe(true);
    end(first, 5);
    account.release(first.session);
    await begin();
    await begin(false);

    expect(opened).toHaveLength(3);
  });

  test('one that carried its thousand mails takes none behind, and is closed', async () => {
    const { begin, end, opened } = accountOf();
    end(await begin(), 1);
    const [first, ...others] = [await begin(), await begin(), await begin(), await begin()];
    first.state.sent = 1_000;
    for (const { state } of others) state.hasRoomBehind = false;
    expect((await begin()).isNew).toBe(true);
    end(first, 1);

    expect(opened[0]).toMatchObject({ isOpen: false });
  });

  test('after the settings changed none is kept', async () => {
    const { sessions, begin, end } = accountOf();
    const mail = await begin();
    sessions.close();
    end(mail, 5);

    expect(mail.state.isOpen).toBe(false);
  });
});
