import { itemAt } from '@tidings/platform';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Socket } from 'node:net';
import { connectionClosed, refusal, ReplyReader, silent } from './replies.ts';

/** Addresses of one mail, as they stand between `<` and `>`. */
export type Envelope = { readonly from: string; readonly to: string };

/**
 * `isComplete` becomes true just before the write that ends the mail. From then on a missing reply leaves the outcome
 * unknown.
 */
export type Handover = { isComplete: boolean };

/** What is read of nodemailer's connection besides its public interface. Tests hold it to the version in use. */
type Connection = Omit<SMTPConnection, '_socket'> & {
  readonly _socket: Socket;
  readonly _onSocketData: (chunk: Buffer) => void;
  readonly _onSocketTimeout: () => void;
  readonly _supportedExtensions: readonly string[];
};

type Command = 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** The mail that is being sent. */
type Current = {
  readonly commands: readonly (readonly [name: Command, line: string])[];
  readonly content: readonly Buffer[];
  readonly handover: Handover;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: Error) => void;
  /** How many commands were answered. */
  answered: number;
  /** The first refusal of a command: later ones only follow from it. */
  refused: Error | null;
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
 * e-mail at a time; with PIPELINING (RFC 2920) the envelope is one write and the message a second
 * one.
 *
 * The session never sends an e-mail twice. Its errors have nodemailer's form (`SmtpFailure`).
 */
export class SmtpSession {
  readonly #connection: Connection;
  readonly #replies = new ReplyReader();
  readonly #hasPipelining: boolean;
  readonly #hasSmtpUtf8: boolean;
  #current: Current | null = null;
  /** A mail was refused: a transaction may be open, or replies to it may still come. */
  #needsReset = false;
  #isClosed = false;
  #sent = 0;
  #chunks = 0;

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

  /** Mails that were tried over this connection. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Sends one mail; resolves to the reply to its final dot.
   * @param content the mail as it is written: lines end in CRLF, the last one too, and leading dots are doubled
   */
  send(envelope: Envelope, content: readonly Buffer[], handover: Handover): Promise<string> {
    return new Promise((resolve, reject) => {
      if (
        NOT_IN_ADDRESS.test(envelope.from) ||
        NOT_IN_ADDRESS.test(envelope.to) ||
        envelope.to === ''
      ) {
        reject(
          Object.assign(new Error('The address cannot be written on an envelope.'), {
            code: 'EENVELOPE',
          }),
        );
        return;
      }
      if (this.#isClosed || this.#current !== null) {
        reject(this.#lostConnection());
        return;
      }
      this.#sent += 1;
      const commands = this.#commandsOf(envelope);
      this.#current = {
        commands,
        content,
        handover,
        resolve,
        reject,
        answered: 0,
        refused: null,
        endedAtChunk: 0,
      };
      this.#needsReset = false;
      this.#connection._socket.write(
        this.#hasPipelining ? commands.map(([, line]) => line).join('') : itemAt(commands, 0)[1],
      );
    });
  }

  /** Closes the connection at once; a mail that is being sent fails. */
  close(): void {
    this.#connection.close();
    this.#fail(this.#lostConnection());
  }

  #commandsOf({ from, to }: Envelope): Current['commands'] {
    const utf8 =
      this.#hasSmtpUtf8 && (NOT_ASCII.test(from) || NOT_ASCII.test(to)) ? ' SMTPUTF8' : '';
    const commands: [Command, string][] = [
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

  #answerCommand(current: Current, command: Command, reply: string): void {
    const isAccepted = reply.startsWith(command === 'DATA' ? '3' : '2');
    if (!isAccepted)
      current.refused ??= refusal(command === 'RSET' ? 'ECONNECTION' : 'EENVELOPE', command, reply);
    if (reply.startsWith('421'))
      return this.#closeWith(current.refused ?? refusal('EENVELOPE', command, reply));
    // A transaction that could not be reset says nothing about the mail.
    if (command === 'RSET' && !isAccepted) return this.#closeWith(this.#lostConnection());
    const isLast = current.answered === current.commands.length;
    if (current.refused !== null && (isLast || !this.#hasPipelining)) {
      // A server that did not refuse DATA waits for a mail: it gets no empty one.
      if (command === 'DATA' && !/^[45]/.test(reply)) return this.#closeWith(current.refused);
      this.#needsReset = true;
      return this.#settle((mail) => mail.reject(current.refused as Error));
    }
    if (isLast) return this.#writeMail(current);
    if (!this.#hasPipelining)
      this.#connection._socket.write(itemAt(current.commands, current.answered)[1]);
  }

  #answerMail(current: Current, reply: string): void {
    const isAccepted = reply.startsWith('2');
    if (!current.handover.isComplete || current.endedAtChunk === this.#chunks) {
      // An early answer. Accepted before its end: the server may have delivered what it has.
      if (isAccepted) current.handover.isComplete = true;
      const error = isAccepted ? this.#lostConnection() : refusal('EMESSAGE', 'DATA', reply);
      return this.#closeWith(error);
    }
    if (isAccepted) return this.#settle((mail) => mail.resolve(reply));
    const error = refusal('EMESSAGE', 'DATA', reply);
    // 421 ends the session; anything but a refusal is out of step.
    if (reply.startsWith('421') || !/^[45]/.test(reply)) return this.#closeWith(error);
    // The server may have answered before the end, and answers the rest as commands.
    this.#needsReset = true;
    this.#settle((mail) => mail.reject(error));
  }

  #writeMail(current: Current): void {
    const size = current.content.reduce((sum, { length }) => sum + length, 0);
    if (size <= SINGLE_WRITE_BYTES_MAX) return this.#writeLast(current, current.content);
    const whole = Buffer.concat(current.content);
    const head = whole.subarray(0, size - LAST_WRITE_BYTES);
    this.#connection._socket.write(head, (error) => {
      if (error || this.#current !== current) return;
      this.#writeLast(current, [whole.subarray(size - LAST_WRITE_BYTES)]);
    });
  }

  #writeLast(current: Current, content: readonly Buffer[]): void {
    const { _socket: socket } = this.#connection;
    current.handover.isComplete = true;
    current.endedAtChunk = this.#chunks;
    socket.cork();
    for (const piece of content) socket.write(piece);
    socket.write(END_OF_MAIL);
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

  #settle(tell: (mail: Current) => void): void {
    const current = this.#current;
    this.#current = null;
    if (current !== null) tell(current);
  }

  /** Ends the connection; the mail that is being sent fails with `error`. */
  #closeWith(error: Error): void {
    this.#fail(error);
    this.#connection.close();
  }

  #fail(error: Error): void {
    this.#isClosed = true;
    this.#settle((mail) => mail.reject(error));
  }

  #lostConnection(): Error {
    const unfinished = this.#replies.unfinishedRefusal;
    return unfinished === null ? connectionClosed() : refusal('ECONNECTION', 'CONN', unfinished);
  }
}
