import { TooManyValues } from './memory.ts';

/** Of an event or a person without a value. */
export const NO_GROUP = -1;
/** Different values that are counted before the largest are known. */
const VALUES_MAX = 100_000;

/** Values as numbers, in the order in which they came. */
export type Groups = {
  /** @param value as the text of a jsonb value; null: none. @throws TooManyValues */
  numberOf(value: string | null): number;
  /** Whether a value is less than another one, as text; none is the greatest. */
  isLess(group: number, other: number): boolean;
  readonly values: readonly string[];
};

export function createGroups(): Groups {
  const numbers = new Map<string, number>();
  const values: string[] = [];
  return {
    values,
    numberOf(value) {
      if (value === null) return NO_GROUP;
      const known = numbers.get(value);
      if (known !== undefined) return known;
      const equal = withoutZeros(value);
      let group = numbers.get(equal);
      if (group === undefined) {
        if (values.length >= VALUES_MAX) throw new TooManyValues();
        group = values.length;
        values.push(equal);
        numbers.set(equal, group);
      }
      if (value !== equal && numbers.size < 2 * VALUES_MAX) numbers.set(value, group);
      return group;
    },
    isLess(group, other) {
      if (group === NO_GROUP || other === NO_GROUP) return group !== NO_GROUP && other === NO_GROUP;
      return (values[group] as string) < (values[other] as string);
    },
  };
}

/** A text, or a number with zeros after its point. */
const ZEROS = /"(?:[^"\\]|\\.)*"|-?[0-9]+[.][0-9]*0(?![0-9])/g;

/** A jsonb number keeps the zeros with which it came, also within an object: 1.50 is 1.5. */
const withoutZeros = (value: string): string =>
  value.replace(ZEROS, (part) => (part.startsWith('"') ? part : part.replace(/[.]?0+$/, '')));
