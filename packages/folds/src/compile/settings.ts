import type { Sql } from '@tidings/postgres/database';

/** Parameters of statements that take none, as `COPY`: as settings of the transaction. */
export type Settings = {
  readonly values: unknown[];
  /** Adds a value; returns its place in the text, with its type. */
  add(value: unknown, type: string): string;
  /** Sets those that were added since. Before each statement that names them. */
  apply(sql: Sql): Promise<void>;
};

/** @param name of its settings: others of the transaction have another */
export function createSettings(name = 'p'): Settings {
  const nameOf = (index: number): string => `tidings.${name}${index}`;
  const values: unknown[] = [];
  const types: string[] = [];
  let applied = 0;
  return {
    values,
    add(value, type) {
      values.push(value);
      types.push(type);
      // Read once for a statement, not for each row: a sub-select that depends on no row.
      return `(select current_setting('${nameOf(values.length - 1)}')::${type})::${type}`;
    },
    async apply(sql) {
      if (applied === values.length) return;
      const first = applied;
      const set = types
        .slice(first)
        .map(
          (type, index) =>
            `set_config('${nameOf(first + index)}', $${index + 1}::${type}::text, true)`,
        );
      await sql.query(`select ${set.join(', ')}`, values.slice(first));
      applied = values.length;
    },
  };
}
