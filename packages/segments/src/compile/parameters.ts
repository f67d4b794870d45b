/** The values of a statement. No value of a caller becomes part of its text. */
export type Parameters = {
  readonly values: unknown[];
  /** Adds a value; returns its place in the text, with its type. */
  add(value: unknown, type: string): string;
};

export function createParameters(): Parameters {
  const values: unknown[] = [];
  return {
    values,
    add(value, type) {
      values.push(value);
      return `$${values.length}::${type}`;
    },
  };
}
