import { FIELD_ERRORS_MAX, type FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { childPointer } from './child-pointer.ts';

/** The path from the root to the current value: the containers, and the key or index taken in each. */
export interface ContentPath {
  /** The number of containers above the current value. */
  readonly length: number;
  /** The key or index taken in the container at this level. */
  step(level: number): string;
  /** The object or array at this level; undefined below the current value. */
  container(level: number): object | undefined;
}

/** The rules of one kind of body. The walker calls them only for a value that may be a fault. */
export type ContentRules = {
  /** The pointer of the root in the request body. */
  readonly pointer: string;
  /** Containers above a message. They do not count as its levels. */
  readonly levelsAbove: number;
  /** Ids are compared and indexed: a lone surrogate in an id is a fault, elsewhere it is replaced. */
  isId(path: ContentPath): boolean;
  /** The expected value in place of a number that no double holds; null where the number has no effect. */
  expectedNumber(path: ContentPath): string | null;
  /**
   * The part of the body that holds the current value. Above the limit of an answer the walker reports only the first
   * fault of each part. At the next fault it leaves the part: the first `levels` containers stay open.
   */
  partOf(path: ContentPath): { readonly part: number; readonly levels: number };
};

type Fault = Pick<FieldError, 'code' | 'expected'>;

const NUL_IN_TEXT: Fault = { code: 'nul_not_allowed', expected: 'text without U+0000' };
const NUL_IN_KEY: Fault = { code: 'nul_not_allowed', expected: 'keys without U+0000' };
const LONE_SURROGATE: Fault = { code: 'invalid_value', expected: 'text without lone surrogates' };
const TOO_DEEP: Fault = {
  code: 'too_deep',
  expected: `at most ${LIMITS.messageDepthMax} levels in a message`,
};

/** The fault of an id: U+0000 or a lone surrogate. */
export function idFault(value: string): Fault | null {
  if (value.includes('\0')) return NUL_IN_TEXT;
  return value.isWellFormed() ? null : LONE_SURROGATE;
}

/** Whether a body may hold U+0000 or lone surrogates: JSON can write both only as escapes. */
export function mayHoldBadText(text: string): boolean {
  return text.includes('\\u');
}

/**
 * Finds content that JSON allows and the stores do not: U+0000, lone surrogates in ids, numbers
 * that no double can hold, and too much depth. One walk in document order, without recursion. A
 * pointer is built only for a fault.
 * @param text the body that `root` was parsed from
 */
export function findContentFaults(root: unknown, text: string, rules: ContentRules): FieldError[] {
  const walk = new Walk(rules, mayHoldBadText(text));
  walk.run(root);
  return walk.errors;
}

/** An open object or array with its keys (null for an array), its size and the number of entries visited. */
type Frame = {
  readonly value: object;
  readonly keys: readonly string[] | null;
  readonly size: number;
  next: number;
};

class Walk implements ContentPath {
  readonly errors: FieldError[] = [];
  readonly #rules: ContentRules;
  readonly #mayHoldBadText: boolean;
  readonly #levelsMax: number;
  readonly #frames: Frame[] = [];
  readonly #faultyParts = new Set<number>();

  constructor(rules: ContentRules, holdsBadText: boolean) {
    this.#rules = rules;
    this.#mayHoldBadText = holdsBadText;
    this.#levelsMax = rules.levelsAbove + LIMITS.messageDepthMax;
  }

  run(root: unknown): void {
    this.#visit(root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next === frame.size) this.#frames.pop();
      else if (frame.keys === null) this.#visitItems(frame, frame.value as readonly unknown[]);
      else this.#visitField(frame, frame.keys[frame.next] ?? '');
    }
  }

  get length(): number {
    return this.#frames.length;
  }

  step(level: number): string {
    const frame = this.#frames[level];
    return frame === undefined ? '' : (frame.keys?.[frame.next - 1] ?? String(frame.next - 1));
  }

  container(level: number): object | undefined {
    return this.#frames[level]?.value;
  }

  /** Visits items up to the next container. A long array of plain values takes one call. */
  #visitItems(frame: Frame, items: readonly unknown[]): void {
    const depth = this.#frames.length;
    while (frame.next < frame.size && this.#frames.length === depth) {
      frame.next += 1;
      this.#visit(items[frame.next - 1]);
    }
  }

  #visitField(frame: Frame, key: string): void {
    frame.next += 1;
    if (this.#mayHoldBadText && key.includes('\0')) this.#add(NUL_IN_KEY, this.#frames.length - 1);
    if (this.#frames.at(-1) === frame)
      this.#visit((frame.value as Readonly<Record<string, unknown>>)[key]);
  }

  #visit(value: unknown): void {
    if (typeof value === 'string') {
      const fault = this.#mayHoldBadText ? idFault(value) : null;
      if (fault !== null && (fault !== LONE_SURROGATE || this.#rules.isId(this))) this.#add(fault);
    } else if (typeof value === 'number') {
      const expected = Number.isFinite(value) ? null : this.#rules.expectedNumber(this);
      if (expected !== null) this.#add({ code: 'out_of_range', expected });
    } else if (typeof value === 'object' && value !== null) {
      if (this.#frames.length >= this.#levelsMax) this.#add(TOO_DEEP);
      else this.#frames.push(createFrame(value));
    }
  }

  /** Reports a fault of the current value, or of the container at `levels`. */
  #add(fault: Fault, levels = this.#frames.length): void {
    const { part, levels: levelsKept } = this.#rules.partOf(this);
    const isShown = this.errors.length <= FIELD_ERRORS_MAX;
    if (isShown || !this.#faultyParts.has(part))
      this.errors.push({ pointer: this.#pointer(levels), ...fault });
    this.#faultyParts.add(part);
    if (!isShown) this.#frames.length = Math.min(this.#frames.length, levelsKept);
  }

  #pointer(levels: number): string {
    let pointer = this.#rules.pointer;
    for (let level = 0; level < levels; level += 1)
      pointer = childPointer(pointer, this.step(level));
    return pointer;
  }
}

function createFrame(value: object): Frame {
  if (Array.isArray(value)) return { value, keys: null, size: value.length, next: 0 };
  const keys = Object.keys(value);
  return { value, keys, size: keys.length, next: 0 };
}
