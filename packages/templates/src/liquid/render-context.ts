import { Context, type Liquid } from 'liquidjs';
import { engine } from './engine.ts';
import { TEXT_LIMITS } from './limits.ts';
import { RenderFault } from './render-fault.ts';

/** The data of one rendering. */
export type Scope = Readonly<Record<string, unknown>>;

type Limit = Context['renderLimit'];

/**
 * Counts steps. liquidjs calls `check` before each node with the time, and each filter without one.
 */
class StepLimit {
  private steps = 0;
  private looksAt = 0;
  private cpuAtLook: NodeJS.CpuUsage | undefined;

  check(now: number): void {
    this.steps += 1;
    if (this.steps > TEXT_LIMITS.stepsMax) throw new RenderFault('limit', 'too many steps');
    if (now === 0) return;
    if (this.looksAt === 0) this.looksAt = now + TEXT_LIMITS.renderCpuMsMax;
    else if (now > this.looksAt) this.look(now);
  }

  /** Reading the CPU costs more than most renderings: only what has lasted long is measured. */
  private look(now: number): void {
    this.cpuAtLook ??= process.threadCpuUsage();
    const { user, system } = process.threadCpuUsage(this.cpuAtLook);
    if (user + system > TEXT_LIMITS.renderCpuMsMax * 1_000)
      throw new RenderFault('limit', 'takes too long');
    this.looksAt = now + TEXT_LIMITS.renderCpuMsMax / 4;
  }

  use(): void {}
}

/** Reads data so that an empty or absent value is never rendered as an empty text. */
export class RenderContext extends Context {
  constructor(scope: Scope) {
    super(scope, engine.options, { sync: true }, {
      renderLimit: new StepLimit() as unknown as Limit,
      liquid: engine,
    } satisfies { readonly renderLimit: Limit; readonly liquid: Liquid });
  }

  /**
   * An empty text counts as absent, as null does: strict reading then names the variable. What the
   * template assigned itself may be empty.
   */
  override readProperty(...[object, key]: Parameters<Context['readProperty']>): unknown {
    const value: unknown = super.readProperty(object, key);
    const isAbsent = value === null || (value === '' && object !== this.bottom());
    return isAbsent ? undefined : value;
  }
}
