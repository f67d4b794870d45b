import type { Context } from 'liquidjs';
import { TEXT_LIMITS } from './limits.ts';
import { RenderFault } from './render-fault.ts';

/** Steps that come without the time, before it is looked at. */
const STEPS_PER_LOOK = 16;

/** Characters that a search compares in a step. */
const COMPARISONS_PER_STEP = 10_000;

/**
 * Counts steps. liquidjs calls `check` before each node with the time; filters and operators have
 * none.
 */
export class StepLimit {
  private steps = 0;
  private unseen = 0;
  private looksAt = 0;
  private cpuAtLook: NodeJS.CpuUsage | undefined;

  check(now: number): void {
    this.count(1);
    this.unseen = 0;
    if (this.looksAt === 0) this.looksAt = now + TEXT_LIMITS.renderCpuMsMax;
    else if (now > this.looksAt) this.look(now);
  }

  /** A filter or an operator: a node may have hundreds of them. */
  step(): void {
    this.unseen += 1;
    if (this.unseen >= STEPS_PER_LOOK) this.check(performance.now());
    else this.count(1);
  }

  /**
   * Charges the search of one text in another before it begins. V8 compares at each place, so both
   * lengths multiply; nothing ends a search that has begun.
   */
  search(textChars: number, wantedChars: number): void {
    if (wantedChars > TEXT_LIMITS.searchCharsMax)
      throw new RenderFault(
        'limit',
        `searches for a text of more than ${TEXT_LIMITS.searchCharsMax} characters`,
      );
    this.count(Math.floor((textChars * wantedChars) / COMPARISONS_PER_STEP));
  }

  /** liquidjs calls it when a template is rendered within another, which no tag does here. */
  use(): void {}

  private count(steps: number): void {
    this.steps += steps;
    if (this.steps > TEXT_LIMITS.stepsMax) throw new RenderFault('limit', 'too many steps');
  }

  /** Reading the CPU costs more than most renderings: only what has lasted long is measured. */
  private look(now: number): void {
    this.cpuAtLook ??= process.threadCpuUsage();
    const { user, system } = process.threadCpuUsage(this.cpuAtLook);
    if (user + system > TEXT_LIMITS.renderCpuMsMax * 1_000)
      throw new RenderFault('limit', 'takes too long');
    this.looksAt = now + TEXT_LIMITS.renderCpuMsMax / 4;
  }
}

/** That of a rendering: `RenderContext` gives each its own. */
export const stepsOf = ({ renderLimit }: Context): StepLimit => renderLimit as unknown as StepLimit;
