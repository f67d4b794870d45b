import type { SmtpFailure } from './error-map.ts';

/** Longest reply that is read. A server that never completes one loses its connection. */
const REPLY_CHARS_MAX = 64 * 1024;

class ReplyTooLongError extends Error {
  readonly code = 'EPROTOCOL';
  override readonly name = 'ReplyTooLongError';
}

/** Puts the replies of one connection together from the chunks that arrive (RFC 5321, 4.2.1). */
export class ReplyReader {
  /** Lines of a reply whose last line has not arrived. */
  #lines = '';
  /** A line whose end has not arrived. */
  #rest = '';

  /**
   * The replies that `chunk` completes, in order; lines of one reply are joined by `\n`.
   * @throws ReplyTooLongError
   */
  read(chunk: Buffer): string[] {
    // Replies are ASCII or UTF-8; `latin1` never splits a character, and is decoded below.
    const lines = (this.#rest + chunk.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    const replies: string[] = [];
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (this.#lines === '' && line.trim() === '') continue;
      const reply = this.#lines === '' ? line : `${this.#lines}\n${line}`;
      if (/^\d{3}-/.test(line)) this.#lines = reply;
      else {
        this.#lines = '';
        replies.push(decode(reply));
      }
    }
    if (this.#lines.length + this.#rest.length > REPLY_CHARS_MAX)
      throw new ReplyTooLongError('The reply of the SMTP server is too long.');
    return replies;
  }

  /** A refusal whose line end never arrived: some servers close right after it. Null when there is none. */
  get unfinishedRefusal(): string | null {
    return /^[45]\d{2}[ -]/.test(this.#rest) ? decode(this.#rest.trim()) : null;
  }
}

function decode(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** The error of a command that the server refused, in nodemailer's form. */
export function refusal(
  code: 'EENVELOPE' | 'EMESSAGE' | 'ECONNECTION',
  command: string,
  response: string,
): Error & SmtpFailure {
  return Object.assign(new Error(`${command} was refused: ${response}`), {
    code,
    command,
    response,
    responseCode: Number.parseInt(response, 10) || 0,
  });
}

/** The error of a connection on which nothing moved for too long. */
export function silent(): Error & SmtpFailure {
  return Object.assign(new Error('The SMTP server did not answer in time.'), {
    code: 'ETIMEDOUT',
    command: 'CONN',
  });
}

/** The error of a connection that ended without a reply. */
export function connectionClosed(): Error & SmtpFailure {
  return Object.assign(new Error('The connection was closed.'), {
    code: 'ECONNECTION',
    command: 'CONN',
  });
}
