import type { RenderAnswer, RenderJob } from './render-job.ts';

/** How a thread ended that could not answer. */
export type ThreadEnd = {
  readonly kind: 'ended';
  /** Index of the user in the job at whom it was; -1: before the first. */
  readonly user: number;
  readonly detail: string;
};

export type QueuedJob = {
  readonly applicationId: string;
  readonly job: RenderJob;
  /** By `performance.now()`. */
  readonly queuedAt: number;
  readonly resolve: (answer: RenderAnswer | ThreadEnd) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Jobs that wait for a thread. Applications take turns. Callers bound their number: a worker by its
 * chunks and sends, the API by its places and rate of questions, and both it and the gateway by their open
 * requests.
 */
export class JobQueue {
  /** In the order of turns. */
  private readonly waiting = new Map<string, QueuedJob[]>();

  /** Whether `take` has one. */
  hasJob(busy: ReadonlySet<string | null>): boolean {
    return [...this.waiting.keys()].some((applicationId) => !busy.has(applicationId));
  }

  add(job: QueuedJob): void {
    const own = this.waiting.get(job.applicationId);
    if (own === undefined) this.waiting.set(job.applicationId, [job]);
    else own.push(job);
  }

  /** The next job of an application that is not among `busy`; null: none. */
  take(busy: ReadonlySet<string | null>): QueuedJob | null {
    for (const [applicationId, own] of this.waiting) {
      if (busy.has(applicationId)) continue;
      const job = own.shift();
      // Behind all others.
      this.waiting.delete(applicationId);
      if (own.length > 0) this.waiting.set(applicationId, own);
      return job ?? null;
    }
    return null;
  }

  /** How long the first job of an application has waited; 0 without one. */
  waitedMs(applicationId: string, now: number): number {
    const first = this.waiting.get(applicationId)?.[0];
    return first === undefined ? 0 : now - first.queuedAt;
  }

  /** All jobs, which wait no more. */
  takeAll(): QueuedJob[] {
    const all = [...this.waiting.values()].flat();
    this.waiting.clear();
    return all;
  }
}
