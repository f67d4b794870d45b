import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { LRUCache } from 'lru-cache';
import type { MessageToSend } from '@tidings/liquid/compile-message';
import type { MessageCheck, MessageToCheck } from '@tidings/liquid/message-check';
import type { MailBody } from '@tidings/liquid/compile-mail-body';
import { TEXT_LIMITS } from '@tidings/liquid/limits';
import { RenderFault } from '@tidings/liquid/render-fault';
import type { TemplateVariable } from '@tidings/liquid/variables';
import type { TemplateUser } from '@tidings/liquid/user-scope';
import { JobQueue, type ThreadEnd } from './job-queue.ts';
import { LOOK_MS, otherThreadsCpuMs } from './overrun-watch.ts';
import type {
  KeyedMessage,
  RenderAnswer,
  RenderedFault,
  RenderedFields,
  RenderJob,
} from './render-job.ts';
import { ThreadHandle } from './thread-handle.ts';

export type RenderPoolOptions = {
  readonly threadsMax: number;
  /** A thread that has no work for so long ends. */
  readonly idleMs: number;
  /** For one message, as `OverrunWatch` measures it. */
  readonly renderMsMax: number;
  /** The program of a thread. */
  readonly entry: URL;
  /** A thread was ended, and why: what it was at fails with this detail. */
  readonly onOverrun: (detail: string) => void;
};

const DEFAULTS: RenderPoolOptions = {
  threadsMax: 2,
  idleMs: 60_000,
  renderMsMax: TEXT_LIMITS.renderMsMax,
  entry: new URL('./render-thread.ts', import.meta.url),
  onOverrun: () => undefined,
};

export type MessagesToRender = {
  /** Applications take turns, and none has two threads. */
  readonly applicationId: string;
  readonly campaignId: string;
  readonly channel: Channel;
  readonly message: KeyedMessage;
  readonly users: readonly TemplateUser[];
  /** By `performance.now()`: no turn begins later, but the first. Default: as long as it takes. */
  readonly endsAt?: number;
};

export type VariablesToList = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly messages: readonly KeyedMessage[];
};

/** Threads that were ended and still run, because nothing ends a search of V8 that has begun. */
const ENDING_MAX = 4;

/** Characters of the bodies of mails that are kept, for their identity. */
const BODY_CHARS_MAX = 8 * 1024 * 1024;

/**
 * Renders in threads, so that no template holds up the process, and none another application's: a
 * rendering that takes too long is ended from outside.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly queue = new JobQueue();
  private readonly threads = new Set<ThreadHandle>();
  private ending = 0;
  private looking: NodeJS.Timeout | undefined;
  /** Mails of a structure share one object, by which what is composed from it is kept. */
  private readonly bodies = new LRUCache<string, MailBody['message']>({
    maxSize: BODY_CHARS_MAX,
    sizeCalculation: (_body, key) => key.length,
  });

  constructor(options: Partial<RenderPoolOptions> = {}) {
    this.options = { ...DEFAULTS, ...options };
  }

  /** The messages in the order of the users, or why there is none; fewer if the time is over. */
  async render({
    applicationId,
    users,
    endsAt = Infinity,
    ...job
  }: MessagesToRender): Promise<(MessageToSend | RenderFault)[]> {
    const done: (MessageToSend | RenderFault)[] = [];
    while (done.length < users.length && (done.length === 0 || performance.now() < endsAt)) {
      const answer = await this.ask(applicationId, {
        ...job,
        kind: 'render',
        users: users.slice(done.length),
      });
      if (answer.kind === 'rendered') {
        const { format } = job.message.message;
        const bodies = answer.bodies.map((body) => this.shareBody(body, format));
        for (const result of answer.results)
          done.push(toMessage(job.message.message, result, bodies));
      } else if (answer.kind === 'ended') {
        const fault = new RenderFault('limit', answer.detail);
        // Before the first user the message itself is at fault.
        if (answer.user < 0) while (done.length < users.length) done.push(fault);
        else {
          const before = users.slice(done.length, done.length + answer.user);
          if (before.length > 0)
            done.push(...(await this.render({ ...job, applicationId, users: before })));
          done.push(fault);
        }
      } else throw new Error('a rendering thread gave another answer');
    }
    return done;
  }

  /** What accepted messages show; null: they cannot be parsed in time, so they are not rendered either. */
  async listVariables({
    applicationId,
    ...job
  }: VariablesToList): Promise<readonly TemplateVariable[] | null> {
    const answer = await this.ask(applicationId, { ...job, kind: 'variables' });
    if (answer.kind === 'variables') return answer.variables;
    if (answer.kind === 'ended') return null;
    throw new Error('a rendering thread gave another answer');
  }

  /** What the Liquid of a message says. One that cannot be parsed in time is at fault. */
  async check(applicationId: string, toCheck: MessageToCheck): Promise<MessageCheck> {
    const answer = await this.ask(applicationId, { ...toCheck, kind: 'check' });
    if (answer.kind === 'checked') return answer.check;
    if (answer.kind === 'ended')
      return {
        ok: false,
        errors: [
          {
            pointer: toCheck.pointer,
            code: 'too_long',
            expected: `a message that is read within ${this.options.renderMsMax} ms of CPU`,
          },
        ],
      };
    throw new Error('a rendering thread gave another answer');
  }

  /** A body of a mail as plain text; empty if that takes too long. */
  async toPlainText({
    applicationId,
    html,
  }: {
    readonly applicationId: string;
    readonly html: string;
  }): Promise<string> {
    const answer = await this.ask(applicationId, { kind: 'plain text', html });
    if (answer.kind === 'plain text') return answer.text;
    if (answer.kind === 'ended') return '';
    throw new Error('a rendering thread gave another answer');
  }

  /** How long the work of an application has waited for a thread; 0 if none waits. */
  waitedMs(applicationId: string): number {
    return this.queue.waitedMs(applicationId, performance.now());
  }

  /** Ends all threads; what waits is rejected. */
  async close(): Promise<void> {
    for (const { reject } of this.queue.takeAll()) reject(new Error('rendering has ended'));
    await Promise.all([...this.threads].map((thread) => thread.close()));
  }

  private shareBody(body: string, format: unknown): MailBody['message'] {
    const key = `${String(format)} ${body}`;
    const known = this.bodies.get(key);
    if (known !== undefined) return known;
    const shared = { body, format };
    this.bodies.set(key, shared);
    return shared;
  }

  private async ask(
    applicationId: string,
    job: RenderJob,
  ): Promise<Exclude<RenderAnswer, { kind: 'error' }> | ThreadEnd> {
    const answer = await new Promise<RenderAnswer | ThreadEnd>((resolve, reject) => {
      this.queue.add({ applicationId, job, queuedAt: performance.now(), resolve, reject });
      this.assign();
    });
    if (answer.kind === 'ended') this.options.onOverrun(answer.detail);
    // What waits has its turn before what this caller asks next.
    this.assign();
    if (answer.kind === 'error') throw answer.error;
    return answer;
  }

  /** Gives waiting jobs to free threads. */
  private assign(): void {
    for (;;) {
      const busy = new Set([...this.threads].map((each) => each.applicationId));
      // Before: a thread that starts and gets no job has nothing that ends it.
      if (!this.queue.hasJob(busy)) return;
      const thread = this.freeThread();
      if (thread === null) return;
      const next = this.queue.take(busy);
      if (next === null) return;
      thread.run(next);
      this.looking ??= setInterval(() => this.look(), LOOK_MS).unref();
    }
  }

  private freeThread(): ThreadHandle | null {
    for (const thread of this.threads) if (thread.applicationId === null) return thread;
    if (this.threads.size >= this.options.threadsMax || this.ending >= ENDING_MAX) return null;
    const thread = new ThreadHandle({
      ...this.options,
      onEnding: () => {
        this.threads.delete(thread);
        this.ending += 1;
      },
      onEnded: () => {
        this.ending -= 1;
        this.assign();
      },
    });
    this.threads.add(thread);
    return thread;
  }

  private look(): void {
    const busy = [...this.threads].filter(({ applicationId }) => applicationId !== null);
    if (busy.length === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
      return;
    }
    const cpuMs = otherThreadsCpuMs();
    for (const thread of busy) thread.look(cpuMs);
  }
}

function toMessage(
  source: PushMessage,
  result: RenderedFields | RenderedFault,
  bodies: readonly MailBody['message'][],
): MessageToSend | RenderFault {
  if ('code' in result) return new RenderFault(result.code, result.detail);
  const { fields, filling, body } = result;
  const message: PushMessage = { ...source, ...fields };
  const filled = filling === null ? {} : { filling };
  if (body === undefined) return { message, ...filled };
  const { no, html, text } = body;
  const shared = bodies[no];
  if (shared === undefined) throw new Error('a rendering thread left out a body');
  return { message, ...filled, mailBody: { message: shared, html, text } };
}
