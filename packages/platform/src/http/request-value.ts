import type { ServerResponse } from 'node:http';

/** A response with the context of its request. Express keeps the `locals` that it finds. */
export type Answer = ServerResponse & { readonly locals: object };

type Holder = Pick<Answer, 'locals'>;

/** A typed value of a request: one module sets it once, others read it. */
export type RequestValue<T> = {
  /** @throws Error when the request has this value already */
  set(res: Holder, value: T): void;
  /** @throws Error when the request has no such value */
  of(res: Holder): T;
  /** Undefined when the request has no such value. */
  find(res: Holder): T | undefined;
  /** Reads the value and removes it. */
  take(res: Holder): T | undefined;
};

/** Declares a value of the request context, at module load. `name` is unique in a process. */
export function requestValue<T>(name: string): RequestValue<T> {
  const contextOf = (res: Holder) => res.locals as Record<string, T | undefined>;
  return {
    set(res, value) {
      const context = contextOf(res);
      if (context[name] !== undefined) throw new Error(`The request has its ${name} already.`);
      context[name] = value;
    },
    of(res) {
      const value = contextOf(res)[name];
      if (value === undefined) throw new Error(`The request has no ${name}.`);
      return value;
    },
    find: (res) => contextOf(res)[name],
    take(res) {
      const context = contextOf(res);
      const value = context[name];
      context[name] = undefined;
      return value;
    },
  };
}
