import { inDigits } from './arithmetic.ts';
import { TEXT_LIMITS } from './limits.ts';
import { RenderFault } from './render-fault.ts';

/** A value, and the output of the template that it comes from; -1: a tag. */
export type RenderedValue = { readonly text: string; readonly output: number };

/**
 * What one rendering consists of, in order: texts of the template by their number, and values.
 * Texts and values stay apart, so that a value is escaped by its place.
 */
export class Parts {
  /** Number of a text; of a value, -1 less its index. */
  readonly order: number[] = [];
  readonly values: RenderedValue[] = [];
  /** Equal for renderings with the same texts and outputs in the same order. */
  structure = '';
  /** Only for the interface of liquidjs. */
  readonly buffer = '';
  private chars = 0;

  addText(number: number, chars: number): void {
    this.count(chars);
    this.order.push(number);
    this.structure += `${number},`;
  }

  addValue(text: string, output: number): void {
    this.count(text.length);
    this.order.push(-1 - this.values.length);
    this.values.push({ text, output });
    this.structure += `v${output},`;
  }

  /** Called by liquidjs for what a tag returns, which may be a value of the user. */
  write(value: unknown): void {
    this.addValue(toText(value, 'a tag'), -1);
  }

  private count(chars: number): void {
    this.chars += chars;
    if (this.chars > TEXT_LIMITS.outputCharsMax) throw new RenderFault('limit', 'too much text');
  }
}

/** NUL cannot be stored; the others mark places (see `html/marks.ts`). */
const RESERVED = ['\0', '\uFDD0', '\uFDD1'] as const;
const MARK = /[\uFDD0\uFDD1]/g;

/** Where a text has a character that no template may have; -1: nowhere. */
export function findReserved(text: string): number {
  return RESERVED.map((character) => text.indexOf(character)).find((at) => at >= 0) ?? -1;
}

/** A value as text. */
export function toText(value: unknown, name: string): string {
  switch (typeof value) {
    case 'string':
      // Filters may cut a character in two.
      return (value.isWellFormed() ? value : value.toWellFormed())
        .replaceAll('\0', '\uFFFD')
        .replaceAll(MARK, '\uFFFD');
    case 'number':
      return inDigits(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return '';
    case 'object':
    case 'function':
    case 'symbol':
      if (value === null) return '';
      if (Array.isArray(value)) return value.map((item) => toText(item, name)).join('');
      throw new RenderFault('not_text', `${name} is an object`);
  }
}
