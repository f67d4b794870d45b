import { Worker } from 'node:worker_threads';
import { TEXT_LIMITS } from '@tidings/liquid/limits';
import type { QueuedJob } from './job-queue.ts';
import { OverrunWatch } from './overrun-watch.ts';
import { PROGRESS, type RenderAnswer } from './render-job.ts';

export type ThreadOptions = {
  /** The program of the thread. */
  readonly entry: URL;
  /** A thread that has no work for so long ends. */
  readonly idleMs: number;
  /** For one message. */
  readonly renderMsMax: number;
  /** It is ended, or has ended, and takes no more jobs. */
  readonly onEnding: () => void;
  /** It runs no more. */
  readonly onEnded: () => void;
};

/** A thread that renders, as the thread that owns it sees it. */
export class ThreadHandle {
  private readonly options: ThreadOptions;
  private readonly progress = new Int32Array(
    new SharedArrayBuffer(PROGRESS.length * Int32Array.BYTES_PER_ELEMENT),
  );
  private readonly watch: OverrunWatch;
  private readonly worker: Worker;
  private current: QueuedJob | null = null;
  private isEnding = false;
  private idling: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.options = options;
    this.watch = new OverrunWatch(this.progress, options.renderMsMax);
    this.worker = new Worker(options.entry, {
      workerData: this.progress,
      name: 'tidings-render',
      resourceLimits: {
        maxOldGenerationSizeMb: TEXT_LIMITS.threadMemoryMb,
        maxYoungGenerationSizeMb: TEXT_LIMITS.threadYoungMemoryMb,
      },
    });
    this.worker
      .on('message', (answer: RenderAnswer) => this.finish((job) => job.resolve(answer)))
      .on('error', (error: NodeJS.ErrnoException) => this.fail(error))
      .on('exit', () => {
        this.end('ended its thread');
        options.onEnded();
      });
    this.worker.unref();
  }

  /** Whose job it runs; null: it is free. */
  get applicationId(): string | null {
    return this.current?.applicationId ?? null;
  }

  /** Runs a job; it must be free. */
  run(job: QueuedJob): void {
    clearTimeout(this.idling);
    this.current = job;
    this.watch.begin();
    // Until it begins, it is at no user of this job.
    Atomics.store(this.progress, PROGRESS.user, -1);
    this.worker.ref();
    try {
      this.worker.postMessage(job.job);
    } catch (error) {
      // What cannot be copied, such as an object of a hundred thousand levels.
      this.finish(({ reject }) => reject(error as Error));
    }
  }

  /** Ends it if its job takes too long. To be called every `LOOK_MS`. */
  look(cpuMs: number): void {
    if (this.current !== null && this.watch.isOverrun(cpuMs)) this.end('takes too long');
  }

  /** Ends it. Resolves when it runs no more. */
  async close(): Promise<void> {
    this.leave();
    this.finish((job) => job.reject(new Error('rendering has ended')));
    await this.worker.terminate();
  }

  private fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.end('too much memory');
    else {
      this.leave();
      this.finish((job) => job.reject(error));
    }
  }

  /** What it was at cannot be rendered. */
  private end(detail: string): void {
    this.leave();
    void this.worker.terminate();
    if (Atomics.load(this.progress, PROGRESS.turns) === 0) {
      this.finish((job) => job.reject(new Error('a rendering thread did not start')));
      return;
    }
    const user = Atomics.load(this.progress, PROGRESS.user);
    this.finish((job) => job.resolve({ kind: 'ended', user, detail }));
  }

  private leave(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    clearTimeout(this.idling);
    this.options.onEnding();
  }

  private finish(settle: (job: QueuedJob) => void): void {
    const { current } = this;
    if (current === null) return;
    this.current = null;
    this.worker.unref();
    if (!this.isEnding) {
      this.idling = setTimeout(() => void this.close(), this.options.idleMs);
      this.idling.unref();
    }
    settle(current);
  }
}
