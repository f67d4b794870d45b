import type { Filter } from './tcp-proxy.ts';

export type StatementWatch = {
  /**
   * Called before a statement is forwarded, with the earlier ones of its transaction, one per line.
   * False closes the connection.
   */
  request(text: string): boolean;
  /**
   * Called when Postgres has executed it; its changes are durable unless its transaction continues.
   */
  answer(text: string): boolean;
};

const QUERY = 'Q';
const PARSE = 'P';
const BIND = 'B';
const READY = 'Z';
/** Length field of a message; it includes itself but not the type. */
const LENGTH_BYTES = 4;

/**
 * Tracks the statements of one connection (PostgreSQL protocol 3.0) of a client that waits for each
 * response.
 */
export function watchStatements({ request, answer }: StatementWatch): Filter {
  const asked = createMessageReader({
    startsUntyped: true,
    kept: { [QUERY]: WHOLE, [PARSE]: WHOLE, [BIND]: BIND_NAMES },
  });
  const answered = createMessageReader({ startsUntyped: false, kept: { [READY]: WHOLE } });
  /** Prepared statements by name; the unnamed one has the empty name. */
  const prepared = new Map<string, string>();
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
        const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
        if (type === PARSE) {
          prepared.set(first, second);
          continue;
        }
        // A statement may be prepared once and executed for hours: it executes at Bind.
        current = describe(type === BIND ? (prepared.get(second) ?? '') : first);
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

/** Required part of a message body: all, or the first n strings. */
const WHOLE = Infinity;
/** Portal and statement name. */
const BIND_NAMES = 2;

/** Assembles messages of the given types from arbitrary chunks; does not buffer the rest. */
function createMessageReader({
  startsUntyped,
  kept,
}: {
  readonly startsUntyped: boolean;
  readonly kept: Readonly<Record<string, number>>;
}): { read(bytes: Buffer): Message[] } {
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
        const texts = kept[type];
        if (texts !== undefined) {
          const body = held.subarray(typeBytes + LENGTH_BYTES, end);
          if (held.length < end && textsIn(body) < texts) break;
          messages.push({ type, body });
        }
        bytesToSkip = Math.max(0, end - held.length);
        held = held.subarray(end);
        typeBytes = 1;
      }
      return messages;
    },
  };
}

/** Number of complete strings in the bytes. */
function textsIn(bytes: Buffer): number {
  let texts = 0;
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, at + 1)) texts += 1;
  return texts;
}
