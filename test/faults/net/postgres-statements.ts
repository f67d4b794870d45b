import type { Filter } from './tcp-proxy.ts';

export type StatementWatch = {
  /** A statement that was not passed on yet; those before it in its transaction come with it, a line each. False ends the connection. */
  request(text: string): boolean;
  /** The same when Postgres has done it: what it changed is durable unless its transaction goes on. */
  answer(text: string): boolean;
};

const QUERY = 'Q';
const PARSE = 'P';
const READY = 'Z';
/** Length of a message without its type, the length itself included. */
const LENGTH_BYTES = 4;

/** Follows the statements of one connection (PostgreSQL's protocol 3.0), of a client that waits for each answer. */
export function watchStatements({ request, answer }: StatementWatch): Filter {
  const asked = createMessageReader({ startsUntyped: true, kept: [QUERY, PARSE] });
  const answered = createMessageReader({ startsUntyped: false, kept: [READY] });
  let transaction: string[] | undefined;
  let current: string | undefined;

  function describe(statement: string): string {
    const text = statement.replaceAll(/\s+/g, ' ').trim();
    if (/^begin\b/i.test(text)) transaction = [];
    transaction?.unshift(text);
    const whole = transaction?.join('\n') ?? text;
    if (/^(commit|rollback)\b/i.test(text)) transaction = undefined;
    return whole;
  }

  return {
    request(bytes) {
      for (const { type, body } of asked.read(bytes)) {
        const parts = body.toString('utf8').split('\0');
        current = describe((type === PARSE ? parts[1] : parts[0]) ?? '');
        if (!request(current)) return null;
      }
      return bytes;
    },
    answer(bytes) {
      for (const _ of answered.read(bytes)) {
        const done = current;
        current = undefined;
        if (done !== undefined && !answer(done)) return null;
      }
      return bytes;
    },
  };
}

type Message = { readonly type: string; readonly body: Buffer };

/** Whole messages of the kept types, however the bytes arrive; of the others no byte is held. */
function createMessageReader({ startsUntyped, kept }: { readonly startsUntyped: boolean; readonly kept: readonly string[] }): { read(bytes: Buffer): Message[] } {
  let typeBytes = startsUntyped ? 0 : 1;
  let held: Buffer = Buffer.alloc(0);
  let bytesToSkip = 0;
  return {
    read(bytes) {
      const messages: Message[] = [];
      const skipped = Math.min(bytesToSkip, bytes.length);
      bytesToSkip -= skipped;
      held = Buffer.concat([held, bytes.subarray(skipped)]);
      while (bytesToSkip === 0 && held.length >= typeBytes + LENGTH_BYTES) {
        const type = held.toString('latin1', 0, typeBytes);
        const end = typeBytes + held.readInt32BE(typeBytes);
        if (kept.includes(type)) {
          if (held.length < end) break;
          messages.push({ type, body: held.subarray(typeBytes + LENGTH_BYTES, end) });
        } else {
          bytesToSkip = Math.max(0, end - held.length);
        }
        held = held.subarray(end);
        typeBytes = 1;
      }
      return messages;
    },
  };
}
