import { Context, type Liquid } from 'liquidjs';
import { engine } from './engine.ts';
import { StepLimit } from './step-limit.ts';

/** What `now` is, in milliseconds: one moment for all texts of a message. No template names a symbol. */
export const NOW = Symbol('now');

/** The data of one rendering. */
export type Scope = Readonly<Record<string, unknown>> & { readonly [NOW]?: number };

type Limit = Context['renderLimit'];

/** Reads data so that an empty or absent value is never rendered as an empty text. */
export class RenderContext extends Context {
  readonly now: number;

  constructor(scope: Scope) {
    super(scope, engine.options, { sync: true }, {
      renderLimit: new StepLimit() as unknown as Limit,
      liquid: engine,
    } satisfies { readonly renderLimit: Limit; readonly liquid: Liquid });
    this.now = scope[NOW] ?? Date.now();
  }

  /**
   * An empty text counts as absent, as null does: strict reading then names the variable. What the
   * template assigned itself may be empty.
   */
  override readProperty(...[object, key]: Parameters<Context['readProperty']>): unknown {
    // liquidjs counts the attributes of an object, of which an event may have one more tomorrow.
    const value: unknown =
      key === 'size' && isObject(object) && !Object.hasOwn(object, key)
        ? undefined
        : super.readProperty(object, key);
    const isAbsent = value === null || (value === '' && object !== this.bottom());
    return isAbsent ? undefined : value;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
