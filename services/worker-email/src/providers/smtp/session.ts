import { itemAt, onAbort, systemClock } from '@tidings/platform';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Socket } from 'node:net';
import type { SmtpFailure } from './error-map.ts';
import { connectionClosed, refusal, ReplyReader, silent } from './replies.ts';

/** Addresses of one mail, as they stand between `<` and `>`. */
export type Envelope = { readonly from: string; readonly to: string };

/**
 * `isComplete` becomes true just before the write that ends the mail. From then on a missing reply leaves the outcome
 * unknown.
 */
export type Handover = { isComplete: boolean };

/**
 * Nothing of the mail was sent: the connection ended, or was given up, while the mail waited behind another. It may
 * go over another connection at once.
 */
export class MailNotSentError extends Error {
  override readonly name = 'MailNotSentError';
}

/** What is read of nodemailer's connection besides its public interface. Tests hold it to the version in use. */
type Connection = Omit<SMTPConnection, '_socket'> & {
  readonly _socket: Socket;
  readonly _onSocketData: (chunk: Buffer) => void;
  readonly _onSocketTimeout: () => void;
  readonly _supportedExtensions: readonly string[];
};

type CommandName = 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA';
type Command = readonly [name: CommandName, line: string];

/** A mail that is being sent, or waits behind one. */
type Mail = {
  readonly envelope: Envelope;
  readonly content: readonly Buffer[];
  readonly handover: Handover;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: Error) => void;
  /** Its envelope; empty until it is written. */
  commands: readonly Command[];
  /** Its envelope was written before the reply to the mail ahead of it. */
  isBehind: boolean;
  /** It was given up behind another mail: its content is not written. */
  isGivenUp: boolean;
  /** How many commands were answered. */
  answered: number;
  /** The first refusal of a command: later ones only follow from it. */
  refused: (Error & SmtpFailure) | null;
  /**
   * Number of the chunk last read when the end of the mail was written. A reply in that same chunk was sent before the
   * server had the mail.
   */
  endedAtChunk: number;
};

/** A mail up to this size is completed by one write: it counts as handed over from just before it. */
const SINGLE_WRITE_BYTES_MAX = 64 * 1024;
/** Of a larger mail this much is kept back until the rest was written. */
const LAST_WRITE_BYTES = 1024;
const END_OF_MAIL = Buffer.from('.\r\n');
const NOT_ASCII = /\P{ASCII}/u;
/** What would end an address or a line of the conversation. */
const NOT_IN_ADDRESS = /[\p{Cc}<>]/u;

/**
 * An SMTP conversation after nodemailer opened it (greeting, EHLO, STARTTLS, AUTH). Sends one
 * e-mail after the other. With PIPELINING (RFC 2920) the envelope is one write, and one mail may
 * wait behind the other: its envelope leaves in one write with the content ahead of it, as section
 * 3.1 of the RFC allows (content first, `DATA` last).
 *
 * The session never sends an e-mail twice. Its errors have nodemailer's form (`SmtpFailure`), or are
 * a `MailNotSentError`. Replies are matched to mails by their order alone, so
 *
 * - a refusal of a mail holds when the envelope behind it is answered command by command. Before
 *   that it could be the reply to this envelope, and the mail be accepted: it is `unknown`;
 * - what ends the connection says nothing of a mail behind another one: none of it was sent.
 */
export class SmtpSession {
  readonly #connection: Connection;
  readonly #replies = new ReplyReader();
  readonly #hasPipelining: boolean;
  readonly #hasSmtpUtf8: boolean;
  /** Refused with an envelope behind it that is not answered yet. */
  #refused: { readonly mail: Mail; readonly error: Error } | null = null;
  #current: Mail | null = null;
  /** Waits behind the current one. */
  #next: Mail | null = null;
  /** A mail was refused: a transaction may be open, or replies to it may still come. */
  #needsReset = false;
  #isClosed = false;
  #sent = 0;
  #chunks = 0;
  /** When the end of the current mail was written. */
  #endedAt = 0;
  #replyMs: number | null = null;

  /** @param connection connected and, where the account has a user, logged in */
  constructor(connection: SMTPConnection) {
    this.#connection = connection as unknown as Connection;
    const { _socket: socket, _supportedExtensions } = this.#connection;
    this.#hasPipelining = _supportedExtensions.includes('PIPELINING');
    this.#hasSmtpUtf8 = _supportedExtensions.includes('SMTPUTF8');
    this.#isClosed = connection.destroyed;
    socket.removeListener('data', this.#connection._onSocketData);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.removeListener('timeout', this.#connection._onSocketTimeout);
    socket.on('timeout', () => this.#endSilence());
    connection.on('error', (error: Error) => this.#fail(error));
    connection.once('end', () => this.#fail(this.#lostConnection()));
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#connection._socket.writable;
  }

  /** Whether a mail may be sent behind the one that is being sent. */
  get hasRoomBehind(): boolean {
    return this.isOpen && this.#hasPipelining && this.#current !== null && this.#next === null;
  }

  get isIdle(): boolean {
    return this.#current === null;
  }

  /** Mails that were tried over this connection. */
  get sent(): number {
    return this.#sent;
  }

  /** Milliseconds that the last reply to a whole mail took; null before the first. */
  get replyMs(): number | null {
    return this.#replyMs;
  }

  /**
   * Sends one mail, if the session is idle or has room behind a mail; resolves to the reply to its final dot.
   * @param content the mail as it is written: lines end in CRLF, the last one too, and leading dots are doubled
   * @param signal aborts: the connection is closed, unless the mail waits behind another one
   * @throws MailNotSentError
   */
  async send(
    { envelope, content, handover }: Pick<Mail, 'envelope' | 'content' | 'handover'>,
    signal: AbortSignal,
  ): Promise<string> {
    if (
      NOT_IN_ADDRESS.test(envelope.from) ||
      NOT_IN_ADDRESS.test(envelope.to) ||
      envelope.to === ''
    )
      throw Object.assign(new Error('The address cannot be written on an envelope.'), {
        code: 'EENVELOPE',
      });
    if (this.#isClosed || !(this.isIdle || this.hasRoomBehind)) throw this.#lostConnection();
    this.#sent += 1;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const mail: Mail = {
      envelope,
      content,
      handover,
      resolve,
      reject,
      commands: [],
      isBehind: false,
      isGivenUp: false,
      answered: 0,
      refused: null,
      endedAtChunk: 0,
    };
    if (this.#current === null) this.#begin(mail);
    else {
      this.#next = mail;
      if (this.#current.handover.isComplete) this.#connection._socket.write(this.#envelopeBehind());
    }
    const stopListening = onAbort(signal, () => this.#giveUp(mail));
    return promise.finally(stopListening);
  }

  /** Closes the connection at once; mails that are being sent fail. */
  close(): void {
    this.#connection.close();
    this.#fail(this.#lostConnection());
  }

  #giveUp(mail: Mail): void {
    if (mail === this.#current || mail === this.#refused?.mail) return this.close();
    if (mail !== this.#next) return;
    mail.reject(givenUp());
    // Its envelope may be written: then the connection ends at its turn.
    if (mail.isBehind) mail.isGivenUp = true;
    else this.#next = null;
  }

  #begin(mail: Mail): void {
    this.#current = mail;
    mail.commands = this.#commandsOf(mail.envelope);
    this.#needsReset = false;
    this.#connection._socket.write(
      this.#hasPipelining ? linesOf(mail.commands) : itemAt(mail.commands, 0)[1],
    );
  }

  /** The envelope of the mail that waits, now to be written; empty without one. */
  #envelopeBehind(): string {
    const next = this.#next;
    if (next === null) return '';
    next.commands = this.#commandsOf(next.envelope);
    next.isBehind = true;
    return linesOf(next.commands);
  }

  #commandsOf({ from, to }: Envelope): readonly Command[] {
    const utf8 =
      this.#hasSmtpUtf8 && (NOT_ASCII.test(from) || NOT_ASCII.test(to)) ? ' SMTPUTF8' : '';
    const commands: Command[] = [
      ['MAIL FROM', `MAIL FROM:<${from}>${utf8}\r\n`],
      ['RCPT TO', `RCPT TO:<${to}>\r\n`],
      ['DATA', 'DATA\r\n'],
    ];
    return this.#needsReset ? [['RSET', 'RSET\r\n'], ...commands] : commands;
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#chunks += 1;
    try {
      for (const reply of this.#replies.read(chunk)) {
        if (this.#isClosed) return;
        this.#answer(reply);
      }
    } catch (error) {
      // What the server still sends is not read: the connection ends at once.
      this.#connection._socket.destroy();
      this.#closeWith(error as Error);
    }
  }

  #answer(reply: string): void {
    const current = this.#current;
    // Between two mails a server says nothing but that it closes (421).
    if (current === null) return this.close();
    const command = current.commands[current.answered];
    if (command === undefined) return this.#answerMail(current, reply);
    current.answered += 1;
    this.#answerCommand(current, command[0], reply);
  }

  #answerCommand(current: Mail, command: CommandName, reply: string): void {
    const isAccepted = reply.startsWith(command === 'DATA' ? '3' : '2');
    if (current.isBehind && !isAccepted && !/^[45]/.test(reply))
      // No reply to this command: those before it may be replies to others, too.
      return this.#closeWith(this.#lostConnection());
    if (!isAccepted)
      current.refused ??= refusal(command === 'RSET' ? 'ECONNECTION' : 'EENVELOPE', command, reply);
    if (reply.startsWith('421'))
      return this.#closeWith(current.refused ?? refusal('EENVELOPE', command, reply));
    // A transaction that could not be reset says nothing about the mail.
    if (command === 'RSET' && !isAccepted) return this.#closeWith(this.#lostConnection());
    const isLast = current.answered === current.commands.length;
    if (isLast) this.#settleRefused();
    if (current.refused !== null && (isLast || !this.#hasPipelining)) {
      // A server that did not refuse DATA waits for a mail: it gets no empty one.
      if (command === 'DATA' && !/^[45]/.test(reply)) return this.#closeWith(current.refused);
      // The server may have answered the mail ahead before its end, and the rest of it as commands.
      if (current.isBehind && current.refused.command === 'MAIL FROM')
        return this.#closeWith(this.#lostConnection());
      this.#needsReset = true;
      return this.#settle((mail) => mail.reject(current.refused as Error));
    }
    if (isLast) return this.#writeMail(current);
    if (!this.#hasPipelining)
      this.#connection._socket.write(itemAt(current.commands, current.answered)[1]);
  }

  #answerMail(current: Mail, reply: string): void {
    const isAccepted = reply.startsWith('2');
    if (!current.handover.isComplete || current.endedAtChunk === this.#chunks) {
      // An early answer. Accepted before its end: the server may have delivered what it has.
      if (isAccepted) current.handover.isComplete = true;
      const error = isAccepted ? this.#lostConnection() : refusal('EMESSAGE', 'DATA', reply);
      return this.#closeWith(error);
    }
    this.#replyMs = systemClock.monotonicMs() - this.#endedAt;
    if (isAccepted) return this.#settle((mail) => mail.resolve(reply));
    const error = refusal('EMESSAGE', 'DATA', reply);
    // 421 ends the session; anything but a refusal is out of step.
    if (reply.startsWith('421') || !/^[45]/.test(reply)) return this.#closeWith(error);
    if (this.#next !== null) {
      this.#refused = { mail: current, error };
      return this.#advance();
    }
    // The server may have answered before the end, and answers the rest as commands.
    this.#needsReset = true;
    this.#settle((mail) => mail.reject(error));
  }

  #writeMail(current: Mail): void {
    if (current.isGivenUp) return this.#closeWith(givenUp());
    const size = current.content.reduce((sum, { length }) => sum + length, 0);
    if (size <= SINGLE_WRITE_BYTES_MAX) return this.#writeLast(current, current.content);
    const whole = Buffer.concat(current.content);
    const head = whole.subarray(0, size - LAST_WRITE_BYTES);
    this.#connection._socket.write(head, (error) => {
      if (error || this.#current !== current) return;
      this.#writeLast(current, [whole.subarray(size - LAST_WRITE_BYTES)]);
    });
  }

  #writeLast(current: Mail, content: readonly Buffer[]): void {
    const { _socket: socket } = this.#connection;
    current.handover.isComplete = true;
    current.endedAtChunk = this.#chunks;
    this.#endedAt = systemClock.monotonicMs();
    socket.cork();
    for (const piece of content) socket.write(piece);
    socket.write(END_OF_MAIL);
    const behind = this.#envelopeBehind();
    if (behind !== '') socket.write(behind);
    socket.uncork();
  }

  /**
   * Ends the connection, unless a reply that is there is read first: see `onDeadline`, which cannot
   * tell whether a large mail is still being written.
   */
  #endSilence(): void {
    const { _socket: socket } = this.#connection;
    const before = socket.bytesRead + socket.bytesWritten;
    setImmediate(() => {
      const isSilent = socket.bytesRead + socket.bytesWritten === before;
      if (isSilent && !this.#isClosed) this.#closeWith(silent());
    });
  }

  /** The envelope behind a refused mail is answered: so the refusal was of this mail. */
  #settleRefused(): void {
    const refused = this.#refused;
    this.#refused = null;
    refused?.mail.reject(refused.error);
  }

  #settle(tell: (mail: Mail) => void): void {
    const current = this.#current;
    this.#advance();
    if (current !== null) tell(current);
  }

  #advance(): void {
    const next = this.#next;
    this.#next = null;
    this.#current = next;
    if (next === null) return;
    if (!next.isBehind) return this.#begin(next);
    if (next.isGivenUp && this.#refused === null) this.#closeWith(givenUp());
  }

  /** Ends the connection; the mail that is being sent fails with `error`. */
  #closeWith(error: Error): void {
    this.#fail(error);
    this.#connection.close();
  }

  #fail(error: Error): void {
    this.#isClosed = true;
    const [refused, current, next] = [this.#refused, this.#current, this.#next];
    [this.#refused, this.#current, this.#next] = [null, null, null];
    refused?.mail.reject(connectionClosed());
    const isBehind = current?.isBehind === true && !current.handover.isComplete;
    current?.reject(isBehind && isLost(error) ? notSent() : error);
    next?.reject(notSent());
  }

  #lostConnection(): Error {
    const unfinished = this.#replies.unfinishedRefusal;
    return unfinished === null ? connectionClosed() : refusal('ECONNECTION', 'CONN', unfinished);
  }
}

const linesOf = (commands: readonly Command[]): string => commands.map(([, line]) => line).join('');

/** Whether the connection went, and the server said nothing of a mail. */
const isLost = (error: Error): boolean => 'code' in error && error.code === 'ECONNECTION';

const notSent = (): Error =>
  new MailNotSentError('The connection ended before the mail was begun.');
const givenUp = (): Error => new MailNotSentError('The send was given up before it was begun.');
