import {
  FIELD_ERRORS_MAX,
  LIMITS,
  MESSAGE_FIELDS,
  type FieldError,
  type MessageType,
} from '@tidings/contracts';
import { childPointer } from '@tidings/platform';

/** An object or array on the way to the value at hand, with its keys (of an array: null) and how many of them have been looked at. */
type Frame = {
  readonly value: object;
  readonly keys: readonly string[] | null;
  readonly size: number;
  next: number;
};

/** How deep the way is at a message: envelope, `messages`, message. */
const MESSAGE_FRAMES = 3;
/** Envelope and `messages` are not counted. */
const FRAMES_MAX = MESSAGE_FRAMES - 1 + LIMITS.messageDepthMax;

/**
 * What JSON allows and the stores behind do not: U+0000, lone surrogates in ids, numbers that no double can hold, and
 * depth. One walk without recursion, in the order of the body, that writes a pointer only where there is a fault. When
 * more faults are found than an answer shows, of each message and of the envelope only the first is told.
 */
export function findHostileContent(body: unknown, text: string): FieldError[] {
  // U+0000 and surrogates can only be written as escapes, so most bodies skip looking for them.
  const walk = new Walk(body, text.includes('\\u'));
  walk.run();
  return walk.errors;
}

class Walk {
  readonly errors: FieldError[] = [];
  readonly #body: unknown;
  readonly #hasEscapes: boolean;
  readonly #frames: Frame[] = [];
  #faultyMessage = -1;
  #isEnvelopeFaulty = false;

  constructor(body: unknown, hasEscapes: boolean) {
    this.#body = body;
    this.#hasEscapes = hasEscapes;
  }

  run(): void {
    this.#look(this.#body);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next === frame.size) this.#frames.pop();
      else if (frame.keys === null) this.#lookAtItems(frame, frame.value as readonly unknown[]);
      else this.#lookAtField(frame, frame.keys[frame.next] ?? '');
    }
  }

  /** As far as the next item that has items itself: long arrays of plain values are stepped over here. */
  #lookAtItems(frame: Frame, items: readonly unknown[]): void {
    const depth = this.#frames.length;
    while (frame.next < frame.size && this.#frames.length === depth) {
      frame.next += 1;
      this.#look(items[frame.next - 1]);
    }
  }

  #lookAtField(frame: Frame, key: string): void {
    frame.next += 1;
    if (this.#hasEscapes && key.includes('\0'))
      this.#add('nul_not_allowed', 'keys without U+0000', this.#frames.length - 1);
    if (this.#frames.at(-1) === frame)
      this.#look((frame.value as Readonly<Record<string, unknown>>)[key]);
  }

  #look(value: unknown): void {
    if (typeof value === 'string') {
      if (this.#hasEscapes) this.#lookAtText(value);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) && this.#isKnownNumber())
        this.#add('out_of_range', 'a number that a Double can hold');
    } else if (typeof value === 'object' && value !== null) {
      if (this.#frames.length >= FRAMES_MAX)
        this.#add('too_deep', `at most ${LIMITS.messageDepthMax} levels in a message`);
      else this.#frames.push(frameOf(value));
    }
  }

  #lookAtText(value: string): void {
    if (value.includes('\0')) this.#add('nul_not_allowed', 'text without U+0000');
    else if (!value.isWellFormed() && this.#isId())
      this.#add('invalid_value', 'text without lone surrogates');
  }

  /** A fault of the value at hand, or of an object on the way to it. */
  #add(code: FieldError['code'], expected: string, frames = this.#frames.length): void {
    const message = this.#messageIndex();
    const isFirst = message === -1 ? !this.#isEnvelopeFaulty : message !== this.#faultyMessage;
    const isShown = this.errors.length <= FIELD_ERRORS_MAX;
    if (isShown || isFirst) this.errors.push({ pointer: this.#pointer(frames), code, expected });
    if (message === -1) this.#isEnvelopeFaulty = true;
    else this.#faultyMessage = message;
    // The rest of the message, or of the envelope's field, has nothing more to tell.
    if (!isShown)
      this.#frames.length = Math.min(this.#frames.length, message === -1 ? 1 : MESSAGE_FRAMES - 1);
  }

  /** The key or index at hand in a frame. */
  #step(index: number): string {
    const frame = this.#frames[index];
    return frame === undefined ? '' : (frame.keys?.[frame.next - 1] ?? String(frame.next - 1));
  }

  #pointer(frames: number): string {
    let pointer = '';
    for (let index = 0; index < frames; index += 1)
      pointer = childPointer(pointer, this.#step(index));
    return pointer;
  }

  /** The message that the value at hand is, or is in; -1 for what is in the envelope only. */
  #messageIndex(): number {
    const list = this.#frames[1];
    return list !== undefined && list.keys === null && this.#step(0) === 'messages'
      ? list.next - 1
      : -1;
  }

  /** Ids are compared and indexed: nothing in them may be replaced. */
  #isId(): boolean {
    if (this.#frames.length === 1)
      return this.#step(0) === 'customUserId' || this.#step(0) === 'serviceUserId';
    return (
      this.#frames.length === MESSAGE_FRAMES && this.#messageIndex() >= 0 && this.#step(2) === 'id'
    );
  }

  /**
   * A number that no double can hold matters where it would be stored: not in fields that nobody knows, and in a field
   * that holds no numbers it is the wrong type, as the schema says.
   */
  #isKnownNumber(): boolean {
    if (this.#frames.length < MESSAGE_FRAMES || this.#messageIndex() === -1) return false;
    const field = this.#step(2);
    const type = (this.#frames[2]?.value as { readonly type?: unknown } | undefined)?.type;
    if (this.#frames.length > MESSAGE_FRAMES)
      return (
        typeof type === 'string' &&
        Object.hasOwn(MESSAGE_FIELDS, type) &&
        MESSAGE_FIELDS[type as MessageType].has(field)
      );
    return (
      field === 'time' ||
      (field === 'birthday' && type === 'user') ||
      (field === 'revenue' && type === 'revenue')
    );
  }
}

function frameOf(value: object): Frame {
  if (Array.isArray(value)) return { value, keys: null, size: value.length, next: 0 };
  const keys = Object.keys(value);
  return { value, keys, size: keys.length, next: 0 };
}
