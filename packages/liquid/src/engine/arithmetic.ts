import Big from 'big.js';
import { RenderFault } from './render-fault.ts';

// Decimal, as people calculate with prices: 19.99 times 100 is 1999.

/** Digits and exponents beyond are no amounts, and take long. */
const DIGITS_MAX = 400;
/** Of a quotient, behind the decimal point; 17 of them distinguish all numbers. */
const QUOTIENT_DIGITS = 40;
const MODE = { down: 0, halfUp: 1 } as const;

Big.DP = QUOTIENT_DIGITS;
Big.RM = MODE.halfUp;

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?\s*$/;

type Result = number | bigint;

/** Filters that calculate, by name. A missing value has no result; what is no number is a fault. */
export const ARITHMETIC: Readonly<Record<string, (...values: unknown[]) => unknown>> = {
  abs: one('abs', (a) => a.abs()),
  ceil: one('ceil', (a) => roundTo(a, 1)),
  floor: one('floor', (a) => roundTo(a, -1)),
  round: (value, digits = 0) => one('round', (a) => a.round(placesOf(digits), MODE.halfUp))(value),
  at_least: two('at_least', (a, b) => (a.lt(b) ? b : a)),
  at_most: two('at_most', (a, b) => (a.gt(b) ? b : a)),
  plus: two('plus', (a, b) => a.plus(b)),
  minus: two('minus', (a, b) => a.minus(b)),
  times: two('times', (a, b) => a.times(b)),
  divided_by: (value, divisor, isInteger = false) =>
    two('divided_by', (a, b) => {
      const quotient = a.div(notZero(b, 'divided_by'));
      return isInteger === true ? roundTo(quotient, -1) : quotient;
    })(value, divisor),
  modulo: two('modulo', (a, b) => {
    const rest = a.mod(notZero(b, 'modulo'));
    // With the sign of the divisor, as in Ruby.
    return rest.eq(0) || rest.s === b.s ? rest : rest.plus(b);
  }),
};

/** The sum of numbers; absent ones count nothing. */
export function sumOf(values: readonly unknown[]): Result {
  let sum = new Big(0);
  for (const value of values)
    if (value !== undefined && value !== null) sum = bounded(sum.plus(toBig('sum', value)));
  return toResult(sum);
}

/** A number in digits: large and small ones would have an exponent. */
export function inDigits(value: number): string {
  const text = String(value);
  return text.includes('e') ? new Big(text).toFixed() : text;
}

function one(name: string, calculate: (a: Big) => Big): (value: unknown) => unknown {
  return (value) => (isAbsent(value) ? value : toResult(bounded(calculate(toBig(name, value)))));
}

function two(
  name: string,
  calculate: (a: Big, b: Big) => Big,
): (value: unknown, other: unknown) => unknown {
  return (value, other) =>
    isAbsent(value) ? value : toResult(bounded(calculate(toBig(name, value), toBig(name, other))));
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function toBig(name: string, value: unknown): Big {
  if (typeof value === 'bigint') return bounded(new Big(value.toString()));
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && text.length <= DIGITS_MAX && NUMBER.test(text))
    return bounded(new Big(text.trim().replace(/^\+/, '')));
  throw new RenderFault('failed', `${name} of what is no number`);
}

function notZero(divisor: Big, name: string): Big {
  if (divisor.eq(0)) throw new RenderFault('failed', `${name} zero`);
  return divisor;
}

function placesOf(digits: unknown): number {
  const places = Number(digits);
  return Number.isInteger(places) && Math.abs(places) <= DIGITS_MAX ? places : 0;
}

/** The integer above (1) or below (-1). */
function roundTo(value: Big, direction: 1 | -1): Big {
  const truncated = value.round(0, MODE.down);
  const isPast = direction === 1 ? value.gt(truncated) : value.lt(truncated);
  return isPast ? truncated.plus(direction) : truncated;
}

function bounded(value: Big): Big {
  if (Math.abs(value.e) <= DIGITS_MAX && value.c.length <= DIGITS_MAX * 2) return value;
  throw tooLong();
}

const tooLong = (): RenderFault =>
  new RenderFault('limit', `a number of more than ${DIGITS_MAX} digits`);

/** Integers are exact. */
function toResult(value: Big): Result {
  const number = value.toNumber();
  const isInteger = value.round(0, MODE.down).eq(value);
  if (!isInteger && !Number.isFinite(number)) throw tooLong();
  return !isInteger || Number.isSafeInteger(number) ? number : BigInt(value.toFixed());
}
