import type { Filter } from './tcp-proxy.ts';

/**
 * What happens to the response that accepts a message: forwarded, lost with its connection, or
 * garbled.
 */
export type AnswerMode = 'comes' | 'lost' | 'garbled';

export type ProviderAnswers = {
  createFilter(): Filter;
  setMode(mode: AnswerMode): void;
  /** Accepted messages whose response was forwarded. */
  passed(): number;
  /** Accepted messages whose response was lost or garbled. */
  disturbed(): number;
};

/** Format of accepting responses. */
export type Protocol = 'smtp' | 'http';

const END_OF_MAIL = '\r\n.\r\n';
const GARBAGE = {
  smtp: '000 garbage\r\n',
  http: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\ngarbage',
} as const;

/**
 * A filter in front of a provider. Calls `answer` for each accepted message before the worker gets
 * the response; false closes the connection.
 */
export function createProviderAnswers(protocol: Protocol, answer: () => boolean): ProviderAnswers {
  let mode: AnswerMode = 'comes';
  let passed = 0;
  let disturbed = 0;

  function createFilter(): Filter {
    let tail = '';
    let hasAsked = false;
    return {
      request(bytes) {
        tail = (tail + bytes.toString('latin1')).slice(-END_OF_MAIL.length);
        hasAsked ||=
          protocol === 'http'
            ? /^(POST|PUT|PATCH) /.test(bytes.toString('latin1', 0, 6))
            : tail === END_OF_MAIL;
        return bytes;
      },
      answer(bytes) {
        if (!hasAsked || !isTaken(protocol, bytes)) return bytes;
        hasAsked = false;
        if (!answer()) return null;
        if (mode === 'comes') {
          passed += 1;
          return bytes;
        }
        disturbed += 1;
        return mode === 'lost' ? null : Buffer.from(GARBAGE[protocol]);
      },
    };
  }

  return {
    createFilter,
    setMode: (next) => {
      mode = next;
    },
    passed: () => passed,
    disturbed: () => disturbed,
  };
}

function isTaken(protocol: Protocol, bytes: Buffer): boolean {
  return protocol === 'smtp' ? bytes[0] === 0x32 : bytes.toString('latin1', 0, 10) === 'HTTP/1.1 2';
}
