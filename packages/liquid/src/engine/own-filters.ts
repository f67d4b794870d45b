import { filters, toValueSync, type Context } from 'liquidjs';
import { ARITHMETIC, sumOf } from './arithmetic.ts';
import { readDate } from './dates.ts';
import { toText } from './parts.ts';
import { RenderFault } from './render-fault.ts';

type This = { readonly context: Context & { readonly now?: number } };
type OwnFilter = (this: This, ...values: unknown[]) => unknown;

/**
 * Filters in the place of those of liquidjs, which calculate in binary, take an object for a list by
 * its attributes, any text for a date, and charge nothing for an encoded text.
 */
export const OWN_FILTERS: Readonly<Record<string, OwnFilter>> = {
  ...ARITHMETIC,
  sum(list, property) {
    const values = property === undefined ? listOf('sum', list) : mapped(this, list, property);
    this.context.memoryLimit.use(values.length);
    return sumOf(values);
  },
  size: (value) => (isMissing(value) ? 0 : listOrText('size', value).length),
  first: (value) => (isMissing(value) ? '' : (listOrText('first', value)[0] ?? '')),
  last: (value) => (isMissing(value) ? '' : (listOrText('last', value).at(-1) ?? '')),
  /** Integers beyond 2^53 too. */
  json(value, space) {
    const text = JSON.stringify(
      value,
      (_key, each: unknown) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each),
      Number(space ?? 0),
    );
    this.context.memoryLimit.use(text.length);
    return text;
  },
  /** That of liquidjs throws on half a character, which `slice` may leave. */
  url_encode(value) {
    const text = encodeURIComponent(toText(value, 'a value')).replaceAll('%20', '+');
    this.context.memoryLimit.use(text.length);
    return text;
  },
  date(value, format, zone) {
    const read = readDate(value, this.context.now ?? Date.now());
    if (read === null) return value;
    return Reflect.apply(DATE, this, [
      read.date,
      format,
      ...(zone === undefined || read.isDay ? [] : [zone]),
    ]);
  },
};

const DATE = filterOf('date');
const MAP = filterOf('map');

function filterOf(name: 'date' | 'map'): (...values: unknown[]) => unknown {
  const filter = filters[name];
  if (typeof filter !== 'function') throw new Error(`liquidjs has no filter ${name}`);
  return filter as (...values: unknown[]) => unknown;
}

const mapped = (context: This, list: unknown, property: unknown): unknown[] =>
  toValueSync(
    Reflect.apply(MAP, context, [listOf('sum', list), property]) as Generator<unknown, unknown[]>,
  );

const isMissing = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

function listOf(name: string, value: unknown): unknown[] {
  if (isMissing(value)) return [];
  if (Array.isArray(value)) return value;
  throw new RenderFault('failed', `${name} of what is no list`);
}

/** A text by its characters. */
function listOrText(name: string, value: unknown): string | unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value;
  if (typeof value === 'object')
    throw new RenderFault('failed', `${name} of what is no list and no text`);
  return String(value as number);
}
