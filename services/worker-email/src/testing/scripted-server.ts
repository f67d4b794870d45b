import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How a server answers one command, or the mail after its final dot. */
export type Answer = {
  /** Lines without their ends; empty: no reply at all. */
  readonly reply: string;
  /** The reply leaves in chunks of this many bytes, each in a write of its own. */
  readonly chunkBytes?: number;
  /** The reply is kept back and leaves together with the next one. */
  readonly isHeld?: boolean;
  /** The connection is closed after this many bytes of the reply. */
  readonly closeAfterBytes?: number;
  /** When the reply has left, this process, and so the client, stands still for so long. */
  readonly blockMs?: number;
};

export type Script = {
  readonly extensions?: readonly string[];
  readonly mail?: Answer;
  readonly recipient?: Answer;
  readonly data?: Answer;
  readonly reset?: Answer;
  /** To the final dot. */
  readonly end?: Answer;
  /** Sent as soon as the first byte of the mail arrives, before its end. */
  readonly early?: Answer;
};

const ACCEPTED = { reply: '250 Ok' };

/** What the server had: the truth beside which the client's outcomes stand. */
export type Truth = {
  /** Mails that arrived with their final dot. */
  readonly complete: string[];
  /** Recipients of the complete mails, in their order. */
  readonly recipients: string[];
  /** Recipients of the complete mails that the server answers with 2xx: it delivers them. */
  readonly delivered: string[];
  /** Transactions, over all connections. */
  transactions: number;
  /** Those whose envelope came in one piece with the end of the mail ahead. */
  transactionsBehind: number;
  connections: number;
  open: number;
};

/** An SMTP server that answers as the script says, byte by byte; the last of several holds on. */
export async function startScriptedServer(...scripts: readonly [Script, ...Script[]]) {
  const truth: Truth = {
    complete: [],
    recipients: [],
    delivered: [],
    transactions: 0,
    transactionsBehind: 0,
    connections: 0,
    open: 0,
  };
  const scriptOf = (transaction: number): Script => scripts[transaction] ?? scripts.at(-1) ?? {};
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    truth.connections += 1;
    truth.open += 1;
    sockets.add(socket.setNoDelay(true).on('error', () => undefined));
    socket.on('close', () => {
      truth.open -= 1;
    });
    // A disconnected client ends the conversation.
    converse(socket, scriptOf, truth).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    truth,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function converse(
  socket: Socket,
  scriptOf: (transaction: number) => Script,
  truth: Truth,
): Promise<void> {
  let script = scriptOf(truth.transactions);
  let recipient = '';
  let held = '';
  const answer = async ({ reply, chunkBytes, isHeld, closeAfterBytes, blockMs }: Answer) => {
    if (reply !== '') held += `${reply.replaceAll('\n', '\r\n')}\r\n`;
    if (isHeld) return;
    const whole = held;
    held = '';
    const text = whole.slice(0, closeAfterBytes);
    for (let at = 0; at < text.length; at += chunkBytes ?? text.length) {
      if (socket.writable) socket.write(text.slice(at, at + (chunkBytes ?? text.length)));
      if (chunkBytes !== undefined) await nextTurn();
    }
    if (blockMs !== undefined)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
    if (closeAfterBytes !== undefined && closeAfterBytes <= whole.length) socket.destroySoon();
  };

  socket.write('220 scripted\r\n');
  let input = '';
  let isInMail = false;
  let isEarlyDone = false;
  for await (const chunk of socket) {
    input += (chunk as Buffer).toString('latin1');
    for (;;) {
      if (isInMail) {
        if (script.early !== undefined && !isEarlyDone && input !== '') {
          isEarlyDone = true;
          await answer(script.early);
        }
        const end = input.startsWith('.\r\n') ? 0 : input.indexOf('\r\n.\r\n') + 2;
        if (end === 1) break;
        truth.complete.push(input.slice(0, end));
        truth.recipients.push(recipient);
        input = input.slice(end + 3);
        isInMail = false;
        if (input !== '') truth.transactionsBehind += 1;
        const last = script.end ?? ACCEPTED;
        // The first answer to a mail is the one that holds.
        const first = script.early?.reply || last.reply;
        if (first === '' || first.startsWith('2')) truth.delivered.push(recipient);
        await answer(last);
        continue;
      }
      const lineEnd = input.indexOf('\r\n');
      if (lineEnd === -1) break;
      const command = input.slice(0, lineEnd);
      const line = command.toUpperCase();
      input = input.slice(lineEnd + 2);
      if (line.startsWith('MAIL')) {
        script = scriptOf(truth.transactions);
        truth.transactions += 1;
        isEarlyDone = false;
      } else if (line.startsWith('RCPT')) recipient = /<(.*)>/.exec(command)?.[1] ?? '';
      if (line.startsWith('EHLO'))
        await answer({
          reply: [
            '250-scripted',
            ...(script.extensions ?? []).map((one) => `250-${one}`),
            '250 OK',
          ].join('\n'),
        });
      else if (line.startsWith('MAIL')) await answer(script.mail ?? ACCEPTED);
      else if (line.startsWith('RCPT')) await answer(script.recipient ?? ACCEPTED);
      else if (line.startsWith('RSET')) await answer(script.reset ?? ACCEPTED);
      else if (line === 'DATA') {
        const data = script.data ?? { reply: '354 Go on' };
        isInMail = data.reply === '' || /^[23]/.test(data.reply);
        await answer(data);
      } else await answer({ reply: '500 Unknown' });
    }
  }
}
