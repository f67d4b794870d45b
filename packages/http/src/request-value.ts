import type { ServerResponse } from 'node:http';

/** A response with the context of its request in `locals`, which express keeps. */
export type Answer = ServerResponse & { readonly locals: object };

type Holder = Pick<Answer, 'locals'>;

/** A typed value of the request context: one module sets it once, others read it. */
export type RequestValue<T> = {
  /** @throws Error if the value is already set */
  set(res: Holder, value: T): void;
  /** @throws Error if the value is not set */
  of(res: Holder): T;
  /** Undefined if the value is not set. */
  find(res: Holder): T | undefined;
  /** Reads the value and removes it. */
  take(res: Holder): T | undefined;
};

/** Declares a request value at module load. `name` is unique within the process. */
export function requestValue<T>(name: string): RequestValue<T> {
  const contextOf = (res: Holder) => res.locals as Record<string, T | undefined>;
  return {
    set(res, value) {
      const context = contextOf(res);
      if (context[name] !== undefined) throw new Error(`The request already has a ${name}.`);
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
