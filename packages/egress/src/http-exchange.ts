import { onDeadline } from '@tidings/platform';
import type { IncomingHttpHeaders } from 'node:http';
import { Client, errors, type Dispatcher, type Pool } from 'undici';
import { EgressBlockedError } from './egress.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Deadline for everything, from now to the end of the response. */
  readonly timeoutMs: number;
  /** Aborts the request and its connection. */
  readonly signal?: AbortSignal;
  /**
   * Called when a connection is available, in the tick in which the request is written. False sends
   * nothing.
   */
  readonly mayBegin?: () => boolean;
  /** Maximum response bytes to read; the rest is dropped. */
  readonly answerBytesMax?: number;
  /**
   * Repeats the request once if the server closed a kept-alive connection while it was taken: only
   * for requests that the receiver recognises by an id.
   */
  readonly mayRepeat?: boolean;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Text, up to `answerBytesMax`. */
  readonly body: string;
};

/** The request got no response. */
export class HttpFailure extends Error {
  /** Whether bytes of the request may have been sent: then its outcome is unknown. */
  readonly isHandedOver: boolean;
  /** Not sent because `mayBegin` returned false. */
  readonly isStartDeclined: boolean;
  /** Sent on a kept-alive connection that the server had closed: most likely not received. */
  readonly isConnectionOver: boolean;
  readonly code: string;
  constructor(
    cause: unknown,
    facts: {
      readonly isHandedOver: boolean;
      readonly isStartDeclined?: boolean;
      readonly isKept?: boolean;
    },
  ) {
    super(cause instanceof Error && cause.message !== '' ? cause.message : 'no answer', { cause });
    this.name = 'HttpFailure';
    this.isHandedOver = facts.isHandedOver;
    this.isStartDeclined = facts.isStartDeclined ?? false;
    this.code = findCode(cause);
    this.isConnectionOver =
      facts.isHandedOver && facts.isKept === true && CONNECTION_OVER.has(this.code);
  }
}

function findCode(cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  // undici does not always report the parser error.
  return cause instanceof errors.HTTPParserError ? 'HPE_UNREADABLE' : 'no_answer';
}

const ANSWER_BYTES_MAX = 64 * 1024;
const CONNECTION_OVER = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const tooLate = (): Error => Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });

/** Sends one request through the pool and reads the response. */
export function exchange(pool: Pool, url: URL, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const answer = new Exchange(request, { resolve, reject });
    try {
      pool.dispatch(
        {
          method: request.method,
          path: `${url.pathname}${url.search}`,
          headers: request.headers,
          body: request.body ?? null,
        },
        answer,
      );
    } catch (error) {
      answer.fail(error);
    }
  });
}

/** One connection; it records whether it has carried a response before. */
export class Connection extends Client {
  hasAnswered = false;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => {
      this.hasAnswered = false;
    });
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Exchange) handler.connection = this;
    return super.dispatch(options, handler);
  }
}

type Settle = {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
};

/**
 * The handler of one request. It tracks how far the request got, which socket errors do not tell.
 */
class Exchange implements Dispatcher.DispatchHandler {
  connection: Connection | undefined;
  readonly #request: HttpRequest;
  readonly #settle: Settle;
  readonly #callOffDeadline: () => void;
  readonly #onAbort = (): void => this.#giveUp(this.#request.signal?.reason);
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isHandedOver = false;
  #isKept = false;
  #isStartDeclined = false;
  #isSettled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #bytes = 0;

  constructor(request: HttpRequest, settle: Settle) {
    this.#request = request;
    this.#settle = settle;
    this.#callOffDeadline = onDeadline(request.timeoutMs, () => this.#giveUp(tooLate()));
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (request.signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (!this.#isSettled && this.#request.mayBegin?.() === false) this.#isStartDeclined = true;
    // An abort here comes before the first byte.
    if (this.#isSettled || this.#isStartDeclined) controller.abort(new Error('not begun'));
    else this.#isHandedOver = true;
    this.#isKept = this.connection?.hasAnswered ?? false;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = (this.#request.answerBytesMax ?? ANSWER_BYTES_MAX) - this.#bytes;
    this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += chunk.length;
    if (chunk.length <= room) return;
    this.#succeed();
    controller.abort(new Error('the rest of the response is not needed'));
  }

  onResponseEnd(): void {
    if (this.connection !== undefined) this.connection.hasAnswered = true;
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** A response with a received head counts as a response, even if its body breaks off. */
  fail(error: unknown): void {
    if (this.#status >= 200) {
      this.#succeed();
      return;
    }
    if (this.#end()) return;
    if (!this.#isHandedOver && error instanceof EgressBlockedError) this.#settle.reject(error);
    else
      this.#settle.reject(
        new HttpFailure(error, {
          isHandedOver: this.#isHandedOver,
          isStartDeclined: this.#isStartDeclined,
          isKept: this.#isKept,
        }),
      );
  }

  #giveUp(reason: unknown): void {
    this.fail(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('given up'));
  }

  #succeed(): void {
    if (this.#end()) return;
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks).toString('utf8'),
    });
  }

  /** True if it was settled already. */
  #end(): boolean {
    const wasSettled = this.#isSettled;
    this.#isSettled = true;
    this.#callOffDeadline();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return wasSettled;
  }
}
