import { describe, expect, test } from '@jest/globals';
import { createEgress } from '@tidings/egress';
import { eventually, propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { startScriptedServer, type Answer, type Script } from '../../testing/scripted-server.ts';
import { classifySmtpFailure } from './error-map.ts';
import { openSession } from './open-session.ts';
import { MailNotSentError, type SmtpSession } from './session.ts';

const PIPELINING = ['PIPELINING'];
/** Silence ends after this long. */
const TIMEOUT_MS = 150;

function open(port: number, timeoutMs = TIMEOUT_MS): Promise<SmtpSession> {
  return openSession(
    {
      settings: { host: '127.0.0.1', port, security: 'none' },
      secrets: {},
      signal: new AbortController().signal,
    },
    { smtpConnectTimeoutMs: 10_000, smtpSocketTimeoutMs: timeoutMs },
    { egress: createEgress({ egressAllowedNetworks: ['127.0.0.1/32'] }) },
  );
}

/** The outcome of one mail, as the worker sees it. */
async function send(
  session: SmtpSession,
  to: string,
  signal = new AbortController().signal,
): Promise<string> {
  const handover = { isComplete: false };
  const content = [Buffer.from(`To: ${to}\r\n\r\nHello\r\n`)];
  try {
    await session.send({ envelope: { from: 'shop@example.com', to }, content, handover }, signal);
    return 'sent';
  } catch (error) {
    if (error instanceof MailNotSentError) return 'not_sent';
    return classifySmtpFailure(error, handover.isComplete).status;
  }
}

/** Sends two mails over one connection, the second behind the first. */
async function outcomesOfTwo(first: Script, second: Script, { timeoutMs = 10_000 } = {}) {
  await using server = await startScriptedServer({ extensions: PIPELINING, ...first }, second);
  const session = await open(server.port, timeoutMs);
  const outcomes = await Promise.all([send(session, 'first@a'), send(session, 'second@a')]);
  const isOpen = session.isOpen;
  session.close();
  await eventually(() => expect(server.truth.open).toBe(0));
  return { outcomes, truth: server.truth, isOpen };
}

describe('a mail behind another one', () => {
  test('its envelope comes in one piece with the content ahead of it', async () => {
    await using server = await startScriptedServer({ extensions: PIPELINING });
    const session = await open(server.port, 10_000);
    const outcomes: Promise<string>[] = [];
    for (const to of ['a@a', 'b@a', 'c@a', 'd@a', 'e@a']) {
      await eventually(() => expect(session.isIdle || session.hasRoomBehind).toBe(true));
      outcomes.push(send(session, to));
    }

    expect(await Promise.all(outcomes)).toEqual(Array(5).fill('sent'));
    expect(server.truth.delivered).toEqual(['a@a', 'b@a', 'c@a', 'd@a', 'e@a']);
    expect(server.truth.transactionsBehind).toBeGreaterThan(0);
    session.close();
  });

  test('there is room for one, and only with PIPELINING', async () => {
    for (const [extensions, room] of [
      [PIPELINING, true],
      [[], false],
    ] as const) {
      await using server = await startScriptedServer({ extensions, mail: { reply: '' } });
      const session = await open(server.port, 10_000);
      const first = send(session, 'first@a');
      expect(session.hasRoomBehind).toBe(room);
      const second = send(session, 'second@a');
      expect(session.hasRoomBehind).toBe(false);
      session.close();

      expect(await first).toBe('transient');
      expect(await second).toBe(room ? 'not_sent' : 'transient');
    }
  });

  test.each<[string, Script, Script, readonly string[], boolean]>([
    [
      'the first recipient is refused',
      { recipient: { reply: '550 5.1.1 No' }, data: { reply: '503 No recipient' } },
      {},
      ['invalid_address', 'sent'],
      true,
    ],
    [
      'the second recipient is refused',
      {},
      { recipient: { reply: '550 5.1.1 No' }, data: { reply: '503 No recipient' } },
      ['sent', 'invalid_address'],
      true,
    ],
    [
      'the first mail is refused at its end',
      { end: { reply: '552 5.3.4 Big' } },
      {},
      ['permanent', 'sent'],
      true,
    ],
    [
      'the second mail is refused at its end',
      {},
      { end: { reply: '552 5.3.4 Big' } },
      ['sent', 'permanent'],
      true,
    ],
    [
      '421 to the first mail',
      { end: { reply: '421 4.3.2 Bye' } },
      {},
      ['rate_limited', 'not_sent'],
      false,
    ],
    [
      '421 to the second sender',
      {},
      { mail: { reply: '421 4.3.2 Bye' } },
      ['sent', 'rate_limited'],
      false,
    ],
    [
      'the second sender is refused: it is asked again alone',
      {},
      {
        mail: { reply: '451 4.3.0 Later' },
        recipient: { reply: '503 No' },
        data: { reply: '503 No' },
      },
      ['sent', 'not_sent'],
      false,
    ],
    [
      'the first mail is refused early, and its rest taken for commands',
      { end: { reply: '552 5.3.4 Big\n500 Unknown\n500 Unknown' } },
      {},
      ['unknown', 'not_sent'],
      false,
    ],
    [
      'no reply to the first mail, the second envelope refused',
      { end: { reply: '' } },
      { mail: { reply: '451 4.3.0 Later' } },
      ['unknown', 'not_sent'],
      false,
    ],
    [
      'two replies to the first mail',
      { end: { reply: '250 Ok\n250 Ok' } },
      {},
      ['sent', 'not_sent'],
      false,
    ],
    ['354 to the second sender', {}, { mail: { reply: '354 Go on' } }, ['sent', 'not_sent'], false],
  ])('%s', async (_what, first, second, outcomes, isOpen) => {
    const result = await outcomesOfTwo(first, second);

    expect(result.outcomes).toEqual(outcomes);
    expect(result.isOpen).toBe(isOpen);
    expect(result.truth.delivered.length).toBe(
      outcomes.filter((one) => one === 'sent').length + (first.end?.reply === '' ? 1 : 0),
    );
  });

  test('the connection is lost at any byte of the reply between the two: only the first may be unknown', async () => {
    const reply = '250 Ok';
    for (let closeAfterBytes = 0; closeAfterBytes <= reply.length + 2; closeAfterBytes += 1) {
      const { outcomes } = await outcomesOfTwo({ end: { reply, closeAfterBytes } }, {});
      const isRead = closeAfterBytes === reply.length + 2;
      expect(outcomes).toEqual([isRead ? 'sent' : 'unknown', 'not_sent']);
    }
  });

  test('silence after the first mail: it is unknown, the second was not sent', async () => {
    const { outcomes } = await outcomesOfTwo(
      { end: { reply: '250 Ok', isHeld: true } },
      {
        mail: { reply: '250 Ok', isHeld: true },
        recipient: { reply: '250 Ok', isHeld: true },
        data: { reply: '', isHeld: true },
      },
      { timeoutMs: TIMEOUT_MS },
    );

    expect(outcomes).toEqual(['unknown', 'not_sent']);
  });

  test('given up before its envelope was written, it leaves the mail ahead alone', async () => {
    await using server = await startScriptedServer({
      extensions: PIPELINING,
      data: { reply: '' },
    });
    const session = await open(server.port, 10_000);
    const givingUp = new AbortController();
    const ahead = send(session, 'first@a');
    const behind = send(session, 'second@a', givingUp.signal);
    givingUp.abort();

    expect(await behind).toBe('not_sent');
    expect(session.hasRoomBehind).toBe(true);
    session.close();
    expect(await ahead).toBe('transient');
  });

  test('given up with its envelope written, no empty mail is ended: the connection closes at its turn', async () => {
    const connected = Promise.withResolvers<Socket>();
    let input = '';
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        input += chunk.toString();
        if (input.endsWith('EHLO') || /^EHLO.*\r\n$/.test(input))
          socket.write('250-by hand\r\n250 PIPELINING\r\n');
      });
      socket.write('220 by hand\r\n');
      connected.resolve(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const session = await open((server.address() as AddressInfo).port, 10_000);
    const socket = await connected.promise;
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    const givingUp = new AbortController();
    const ahead = send(session, 'first@a');
    const behind = send(session, 'second@a', givingUp.signal);
    socket.write('250 Ok\r\n250 Ok\r\n354 Go on\r\n');
    await eventually(() =>
      expect(input).toMatch(/Hello\r\n\.\r\nMAIL FROM.*\r\nRCPT TO:<second@a>\r\nDATA\r\n$/),
    );
    givingUp.abort();

    expect(await behind).toBe('not_sent');
    expect(session.isOpen).toBe(true);
    socket.write('250 Ok\r\n250 Ok\r\n250 Ok\r\n354 Go on\r\n');
    expect(await ahead).toBe('sent');
    await closed;
    expect(input).toMatch(/DATA\r\n(QUIT\r\n)?$/);
    server.close();
  });
});

/** A reply in this place, mostly a usual one, so that a connection carries several mails. */
const stepOf = (...usual: readonly string[]): fc.Arbitrary<Answer> =>
  fc.oneof(
    { weight: 16, arbitrary: fc.record({ reply: fc.constantFrom(...usual) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        reply: fc.constantFrom(
          '450 4.2.0 Later',
          '550 5.1.1 No',
          '2',
          'nonsense',
          '250 Ok\n250 Ok',
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ reply: fc.constantFrom(...usual, ''), isHeld: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          reply: fc.constantFrom(...usual),
          chunkBytes: fc.integer({ min: 1, max: 12 }),
          closeAfterBytes: fc.integer({ min: 0, max: 12 }),
        },
        { requiredKeys: ['reply'] },
      ),
    },
  );
const transactions: fc.Arbitrary<Script> = fc.record({
  extensions: fc.constant(PIPELINING),
  mail: stepOf('250 Ok', '250-more\n250 Ok'),
  recipient: stepOf('250 Ok', '251 Forwarded', '550 5.1.1 No'),
  data: stepOf('354 Go on'),
  end: stepOf('250 Ok', '250-more\n250 queued', '552 5.3.4 Too big'),
});

test('of mails behind others each recipient gets what the outcome says, also by wrong, split and missing replies', async () => {
  let behind = 0;
  const campaigns = fc.array(fc.array(transactions, { minLength: 2, maxLength: 8 }), {
    minLength: 10,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(campaigns, async (all) => {
      for (const { outcomes, truth } of await Promise.all(all.map(outcomesOf))) {
        behind += truth.transactionsBehind;
        for (const [address, status] of outcomes) {
          const arrived = (list: readonly string[]) => list.filter((one) => one === address).length;
          expect(arrived(truth.recipients)).toBeLessThanOrEqual(1);
          const may = { sent: [1], unknown: [0, 1] }[status] ?? [0];
          expect([status, may]).toEqual([
            status,
            expect.arrayContaining([arrived(truth.delivered)]),
          ]);
        }
      }
    }),
    propertyRuns(10),
  );
  expect(behind).toBeGreaterThan(0);
}, 600_000);

/** Sends a mail for each script, each as soon as a connection has room for it. */
async function outcomesOf(scripts: readonly Script[]) {
  const [first = {}, ...others] = scripts;
  await using server = await startScriptedServer(first, ...others);
  const outcomes: Promise<readonly [string, string]>[] = [];
  let session = await open(server.port);
  for (const index of scripts.keys()) {
    await eventually(() =>
      expect(!session.isOpen || session.isIdle || session.hasRoomBehind).toBe(true),
    );
    if (!session.isOpen) session = await open(server.port);
    const address = `user-${index}@example.org`;
    outcomes.push(send(session, address).then((status) => [address, status] as const));
  }
  const settled = await Promise.all(outcomes);
  session.close();
  await eventually(() => expect(server.truth.open).toBe(0));
  return { outcomes: settled, truth: server.truth };
}
