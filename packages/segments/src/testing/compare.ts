import type {
  AttributePath,
  Comparison,
  ConditionInstant,
  EventWindow,
  NumberRange,
} from '@tidings/contracts/segments/leaves/parts';
import type { Population } from './population.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
export const ms = (duration: string): number =>
  Number(duration.slice(0, -1)) * Number(UNIT_MS[duration.slice(-1)]);

export function isInWindow(time: number, { within, from, to }: EventWindow, now: number): boolean {
  if (time > now) return false;
  if (within !== undefined) return time > now - ms(within);
  return (from === undefined || time >= from) && (to === undefined || time < to);
}

/** The value below keys of objects. */
export function at(object: unknown, path: AttributePath): unknown {
  return [path]
    .flat()
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.hasOwn(value, key)
          ? (value as Readonly<Record<string, unknown>>)[key]
          : undefined,
      object,
    );
}

export function compare(
  value: unknown,
  comparison: Comparison,
  { of, isMs }: { readonly of: Population; readonly isMs: boolean },
): boolean {
  const { is, isNot, exists, contains, startsWith, before, after } = comparison;
  if (is !== undefined) return isEqual(value, is);
  if (isNot !== undefined) return !isEqual(value, isNot);
  if (comparison.in !== undefined) return comparison.in.some((each) => isEqual(value, each));
  if (comparison.notIn !== undefined) return !comparison.notIn.some((each) => isEqual(value, each));
  if (exists !== undefined) return (value !== undefined && value !== null) === exists;
  if (contains !== undefined) return typeof value === 'string' && value.includes(contains);
  if (startsWith !== undefined) return typeof value === 'string' && value.startsWith(startsWith);
  if (before !== undefined || after !== undefined) {
    const instant = isMs ? value : dateOf(value);
    if (typeof instant !== 'number') return false;
    return (
      (before === undefined || instant < toMoment(before, of.now)) &&
      (after === undefined || instant > toMoment(after, of.now))
    );
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  return isInRange(decimal(value), comparison);
}

/** Numbers are equal by value, also of different types; nothing else is converted. */
function isEqual(value: unknown, operand: unknown): boolean {
  if (typeof value === 'bigint')
    return typeof operand === 'number' && Number.isInteger(operand) && BigInt(operand) === value;
  return value === operand;
}

function dateOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value))
    return null;
  const date = new Date(value);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() === 0) return null;
  return date.toISOString() === value ? date.getTime() : null;
}

const toMoment = (moment: ConditionInstant, now: number): number => {
  if (typeof moment === 'number') return moment;
  return 'ago' in moment ? now - ms(moment.ago) : now + ms(moment.ahead);
};

const PLACES = 40;

/** A number, digit by digit: an integer count of 10^-40. */
export function decimal(value: number | bigint): bigint {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(`${whole}${fraction}`);
  return digits * 10n ** BigInt(PLACES + Number(exponent) - fraction.length);
}

export const isInRange = (value: bigint, { gt, gte, lt, lte }: NumberRange): boolean =>
  (gt === undefined || value > decimal(gt)) &&
  (gte === undefined || value >= decimal(gte)) &&
  (lt === undefined || value < decimal(lt)) &&
  (lte === undefined || value <= decimal(lte));
