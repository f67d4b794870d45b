import { describe, expect, test } from '@jest/globals';
import { eventually, propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { startScriptedServer, type Answer, type Script } from '../../testing/scripted-server.ts';
import { createTestChannel, outgoingMail } from '../../testing/smtp.ts';

const PIPELINING = { extensions: ['PIPELINING'] };
/** Silence ends after this long. */
const TIMEOUT_MS = 150;
/** Where silence is not what is tested: a busy machine must not look like it. */
const PATIENT_MS = 10_000;

/** Sends one mail to a server with this script: the outcome, and what the server knows. */
async function outcomeOf(
  script: Script,
  { timeoutMs = TIMEOUT_MS, message = { title: 'Hello', body: 'Text' } } = {},
) {
  await using server = await startScriptedServer(script);
  await using channel = createTestChannel({ timeoutMs });
  const result = await channel.send(outgoingMail(server.port, { message }));
  // What the client wrote last may still be on its way to the server.
  const arrived = result.status === 'sent' ? 1 : 0;
  await eventually(() => expect(server.truth.complete.length).toBeGreaterThanOrEqual(arrived));
  return { result, truth: server.truth };
}

/** A mail that the server delivers is never tried again, and one that is called sent was delivered. */
function expectExactly({ result, truth }: Awaited<ReturnType<typeof outcomeOf>>): void {
  expect(truth.complete.length).toBeLessThanOrEqual(1);
  const may = { sent: [1], unknown: [0, 1] }[result.status as string] ?? [0];
  expect(may).toContain(truth.delivered.length);
}

describe.each([
  ['step by step', {}],
  ['pipelined', PIPELINING],
])('%s', (_name, base) => {
  test('a mail is sent, and the next one over the same connection', async () => {
    await using server = await startScriptedServer(base);
    await using channel = createTestChannel();

    for (const body of ['one', '.two', 'three\r\n.\r\nfour']) {
      const delivery = outgoingMail(server.port, { message: { title: 'Hi', body } });
      expect(await channel.send(delivery)).toMatchObject({ status: 'sent' });
    }

    expect(server.truth.complete).toHaveLength(3);
    expect(server.truth.connections).toBe(1);
  });

  test.each([
    [
      'MAIL FROM',
      { mail: { reply: '451 4.3.0 Later' }, recipient: { reply: '503 No sender' } },
      'transient',
    ],
    ['RCPT TO', { recipient: { reply: '550 5.1.1 No such user' } }, 'invalid_address'],
    ['DATA', { data: { reply: '554 5.7.1 No' } }, 'permanent'],
    ['the final dot', { end: { reply: '552 5.3.4 Too big' } }, 'permanent'],
  ] as const)(
    'refused at %s: the connection stays, the next mail is refused by itself',
    async (_at, script, status) => {
      // A server refuses DATA without a recipient.
      const data =
        'end' in script || 'data' in script ? {} : { data: { reply: '503 No recipient' } };
      await using server = await startScriptedServer({ ...base, ...data, ...script });
      await using channel = createTestChannel();

      expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status });
      expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status });
      expect(server.truth.connections).toBe(1);
      expect(server.truth.delivered).toEqual([]);
    },
  );

  test('DATA accepted after a refused recipient: the connection is closed, no empty mail is ended', async () => {
    const { result, truth } = await outcomeOf(
      { ...base, recipient: { reply: '550 5.1.1 No' } },
      { timeoutMs: PATIENT_MS },
    );

    expect(result).toMatchObject({ status: 'invalid_address' });
    expect(truth.complete).toEqual([]);
  });

  test('a transaction that cannot be reset says nothing about the mail', async () => {
    await using server = await startScriptedServer({
      ...base,
      recipient: { reply: '550 5.1.1 No' },
      data: { reply: '503 No recipient' },
      reset: { reply: '500 What?' },
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({
      status: 'invalid_address',
    });
    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'transient' });
    expect(await channel.send(outgoingMail(server.port))).toMatchObject({
      status: 'invalid_address',
    });
    expect(server.truth.connections).toBe(2);
  });

  test.each(['mail', 'recipient', 'data', 'end'] as const)(
    '421 at %s closes the connection',
    async (step) => {
      await using server = await startScriptedServer({
        ...base,
        [step]: { reply: '421 4.3.2 Closing' },
      });
      await using channel = createTestChannel();

      expect(await channel.send(outgoingMail(server.port))).toMatchObject({
        status: 'rate_limited',
      });
      expect(await channel.send(outgoingMail(server.port))).toMatchObject({
        status: 'rate_limited',
      });
      expect(server.truth.connections).toBe(2);
    },
  );

  test('a reply of many lines, one byte at a time, is one reply', async () => {
    const { result } = await outcomeOf(
      { ...base, end: { reply: '250-2.0.0 Ok\n250-more\n250 queued as 7', chunkBytes: 1 } },
      { timeoutMs: PATIENT_MS },
    );

    expect(result).toEqual({
      status: 'sent',
      providerCode: '250',
      providerMessage: '250-2.0.0 Ok\n250-more\n250 queued as 7',
    });
  });

  test('a server that refuses a mail early and takes its rest for commands: the next mail is not refused by these', async () => {
    await using server = await startScriptedServer({
      ...base,
      end: { reply: '552 5.3.4 Too big\n500 Unknown\n500 Unknown' },
      reset: { reply: '250 Ok' },
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'permanent' });
    const next = await channel.send(outgoingMail(server.port));
    expect(next).not.toMatchObject({ providerCode: '500' });
  });

  test('a reply without an end loses the connection, not the memory', async () => {
    const { result } = await outcomeOf(
      { ...base, mail: { reply: `250-${'x'.repeat(200_000)}` } },
      { timeoutMs: PATIENT_MS },
    );

    expect(result).toMatchObject({ status: 'transient', providerCode: 'EPROTOCOL' });
  });

  test.each([
    // Silent after the end of the mail: the timeout ends it.
    ['accepts', '250 Ok', 'unknown', { timeoutMs: 2_000 }],
    ['refuses', '552 5.3.4 Too big', 'permanent', {}],
  ])('a server that %s a large mail before its end', async (_what, reply, status, options) => {
    const script = { ...base, early: { reply }, end: { reply: '' } };
    await using server = await startScriptedServer(script);
    await using channel = createTestChannel(options);
    const body = 'a line of text\r\n'.repeat(1_000_000);

    expect(await channel.send(outgoingMail(server.port, { message: { body } }))).toMatchObject({
      status,
    });
    expect(server.truth.complete).toEqual([]);
  });

  test('given up while the server is silent: unknown after the final dot, not sent before', async () => {
    for (const [script, status, complete] of [
      [{ end: { reply: '' } }, 'unknown', 1],
      [{ mail: { reply: '' } }, 'transient', 0],
    ] as const) {
      await using server = await startScriptedServer({ ...base, ...script });
      await using channel = createTestChannel();
      const givingUp = new AbortController();
      const sending = channel.send(outgoingMail(server.port, { signal: givingUp.signal }));
      await eventually(() => expect(server.truth.connections).toBe(1));
      await eventually(() => expect(server.truth.complete).toHaveLength(complete));
      givingUp.abort();

      expect(await sending).toMatchObject({ status });
    }
  });

  test.each(['mail', 'recipient', 'data', 'end'] as const)(
    'the connection closes at any byte of the reply at %s: exactly known, or unknown',
    async (step) => {
      const reply = step === 'data' ? '354 Go on' : '250 Ok';
      for (let closeAfterBytes = 0; closeAfterBytes <= reply.length + 2; closeAfterBytes += 1) {
        const outcome = await outcomeOf({ ...base, [step]: { reply, closeAfterBytes } });
        expectExactly(outcome);
        const isRead = closeAfterBytes === reply.length + 2;
        const [read, unread] = {
          mail: ['transient', 'transient'],
          recipient: ['transient', 'transient'],
          data: ['unknown', 'transient'],
          end: ['sent', 'unknown'],
        }[step];
        expect(outcome.result.status).toBe(isRead ? read : unread);
      }
    },
  );
});

describe('a session', () => {
  test('opens within one deadline, however little at a time the server answers', async () => {
    const sockets: Socket[] = [];
    const dripping = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.write('220 dripping\r\n');
      const drip = setInterval(() => socket.write('250-one more\r\n'), TIMEOUT_MS / 3);
      socket.on('close', () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
    await using channel = createTestChannel({ timeoutMs: TIMEOUT_MS });
    const { port } = dripping.address() as AddressInfo;

    expect(await channel.send(outgoingMail(port))).toMatchObject({
      status: 'transient',
      reason: 'provider_timeout',
    });
    await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
    dripping.close();
  });
});

test.each([
  ['step by step', {}],
  ['pipelined', PIPELINING],
])(
  'a reply that came while the process stood still for longer than the timeout counts: %s',
  async (_name, base) => {
    const blockMs = 3 * TIMEOUT_MS;
    const scripts: readonly Script[] = [
      { ...base, end: { reply: '250 Ok', blockMs } },
      { ...base, end: { reply: '550 5.1.1 No', blockMs } },
      { ...base, data: { reply: '354 Go on', blockMs } },
    ];
    const outcomes = [];
    for (const script of scripts) outcomes.push((await outcomeOf(script)).result.status);

    expect(outcomes).toEqual(['sent', 'invalid_address', 'sent']);
  },
);

test('a reply without an end is not read on: the connection ends while the server still writes', async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const endless = createServer((socket) => {
    const line = `250-${'x'.repeat(1_000)}\r\n`.repeat(64);
    const writeOn = (): void => {
      while (!socket.destroyed) {
        written += line.length;
        if (!socket.write(line)) return;
      }
    };
    socket.on('error', () => undefined).on('close', () => closed.resolve());
    socket.write('220 endless\r\n');
    socket.once('data', () => {
      socket.write('250 Ok\r\n');
      socket.once('data', () => {
        socket.on('drain', writeOn);
        writeOn();
      });
    });
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  await using channel = createTestChannel({ timeoutMs: 60_000 });
  const { port } = endless.address() as AddressInfo;

  expect(await channel.send(outgoingMail(port))).toMatchObject({
    status: 'transient',
    providerCode: 'EPROTOCOL',
  });
  await closed.promise;
  // What fits into the buffers of both sockets, and no more.
  expect(written).toBeLessThan(64 * 1024 * 1024);
  endless.close();
});

test.each([
  ['before its greeting', ''],
  ['before its answer to EHLO', '220 silent\r\n'],
])('a session that is given up while it opens is closed at once: %s', async (_when, greeting) => {
  const accepted = Promise.withResolvers<Socket>();
  const silent = createServer((socket) => {
    socket.on('error', () => undefined).write(greeting);
    accepted.resolve(socket);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  // Longer than the test may take: no timeout closes the connection.
  await using channel = createTestChannel({ timeoutMs: 600_000 });
  const { port } = silent.address() as AddressInfo;
  const givingUp = new AbortController();
  const sending = channel.send(outgoingMail(port, { signal: givingUp.signal }));
  const socket = await accepted.promise;
  const closed = new Promise<void>((resolve) => socket.resume().on('close', () => resolve()));
  givingUp.abort();

  expect(await sending).toMatchObject({ status: 'transient', providerCode: 'ECONNECTION' });
  await closed;
  silent.close();
});

const replies = fc.constantFrom(
  '',
  '250 Ok',
  '250-more\n250 Ok',
  '354 Go on',
  '421 4.3.2 Closing',
  '450 4.2.0 Later',
  '550 5.1.1 No such user',
  'nonsense',
  '250 Ok\n250 Ok',
  '2',
);
const answers: fc.Arbitrary<Answer> = fc.record(
  {
    reply: replies,
    chunkBytes: fc.integer({ min: 1, max: 12 }),
    isHeld: fc.boolean(),
    closeAfterBytes: fc.integer({ min: 0, max: 20 }),
  },
  { requiredKeys: ['reply'] },
);
const scripts: fc.Arbitrary<Script> = fc.record(
  {
    extensions: fc.constantFrom(['PIPELINING'], []),
    mail: answers,
    recipient: answers,
    data: answers,
    end: answers,
    early: answers,
  },
  { requiredKeys: [] },
);

test('no server makes a mail count twice or vanish: replies that are slow, split, merged, wrong, early or missing', async () => {
  const together = fc.array(scripts, { minLength: 20, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(together, async (all) => {
      for (const outcome of await Promise.all(all.map((script) => outcomeOf(script))))
        expectExactly(outcome);
    }),
    propertyRuns(15),
  );
}, 600_000);

/**
 * Replies that a server may give in this place: each command has one, and 354 follows DATA alone. Most are usual, so
 * that a connection carries several mails.
 */
const stepOf = (...usual: readonly string[]): fc.Arbitrary<Answer> =>
  fc.oneof(
    { weight: 14, arbitrary: fc.record({ reply: fc.constantFrom(...usual) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        reply: fc.constantFrom('', '421 4.3.2 Closing', '450 4.2.0 Later', '550 5.1.1 No', '2'),
      }),
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
const transactions: fc.Arbitrary<Script> = fc.record(
  {
    extensions: fc.constantFrom(['PIPELINING'], []),
    mail: stepOf('250 Ok', '250-more\n250 Ok'),
    recipient: stepOf('250 Ok', '251 Forwarded'),
    data: stepOf('354 Go on'),
    end: stepOf('250 Ok', '250-more\n250 queued', '552 5.3.4 Too big'),
  },
  { requiredKeys: ['extensions'] },
);

test('of several mails over one connection, each recipient gets what the outcome says', async () => {
  const campaigns = fc.array(fc.array(transactions, { minLength: 2, maxLength: 6 }), {
    minLength: 10,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(campaigns, async (all) => {
      const sent = await Promise.all(all.map(outcomesOf));
      for (const { outcomes, truth } of sent) {
        for (const [address, status] of outcomes) {
          const arrived = (list: readonly string[]) => list.filter((one) => one === address).length;
          expect(arrived(truth.recipients)).toBeLessThanOrEqual(1);
          const may = { sent: [1], unknown: [0, 1] }[status as string] ?? [0];
          expect([status, may]).toEqual([
            status,
            expect.arrayContaining([arrived(truth.delivered)]),
          ]);
        }
      }
    }),
    propertyRuns(10),
  );
}, 600_000);

/** Sends a mail for each script, one after the other, and waits until the server saw the end of each connection. */
async function outcomesOf(scripts: readonly Script[]) {
  const [first = {}, ...others] = scripts;
  await using server = await startScriptedServer(first, ...others);
  const outcomes: (readonly [string, string])[] = [];
  {
    await using channel = createTestChannel({ timeoutMs: TIMEOUT_MS });
    for (const index of scripts.keys()) {
      const address = `user-${index}@example.org`;
      const { status } = await channel.send(outgoingMail(server.port, { address }));
      outcomes.push([address, status]);
    }
  }
  await eventually(() => expect(server.truth.open).toBe(0));
  return { outcomes, truth: server.truth };
}
