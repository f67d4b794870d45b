import { PROGRESS } from './render-job.ts';

/** How often running threads are looked at. */
export const LOOK_MS = 100;

/** Of a thread that starts: it loads its program. */
const START_MS_MAX = 30_000;

/** CPU of the process in all threads but this one, in milliseconds. */
export function otherThreadsCpuMs(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - own.user - own.system) / 1_000;
}

/**
 * Tells whether a thread has worked on one piece of work for too long. It counts its own looks, and
 * the CPU of other threads in between: a process that is frozen, or has no CPU, ends no thread for that.
 * The CPU of a single thread cannot be read here: a search that does not end answers nothing.
 */
export class OverrunWatch {
  private readonly progress: Int32Array;
  private readonly msMax: number;
  private turns = -1;
  private looks = 0;
  private cpuAtTurn = 0;

  constructor(progress: Int32Array, msMax: number) {
    this.progress = progress;
    this.msMax = msMax;
  }

  /** A job begins. */
  begin(): void {
    this.turns = -1;
  }

  /** To be called every `LOOK_MS` while the thread has a job. */
  isOverrun(cpuMs: number): boolean {
    const turns = Atomics.load(this.progress, PROGRESS.turns);
    if (turns !== this.turns) {
      this.turns = turns;
      this.looks = 0;
      this.cpuAtTurn = cpuMs;
      return false;
    }
    this.looks += 1;
    const max = turns === 0 ? START_MS_MAX : this.msMax;
    return this.looks * LOOK_MS >= max && cpuMs - this.cpuAtTurn >= max;
  }
}
