import type { Sql } from '@tidings/postgres/database';

/** What the driver makes of a column's values. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'array' | 'json';

export type Column = {
  readonly name: string;
  readonly kind: ValueKind;
  /**
   * Whether the column of the table that it is read from may be null; undefined for an expression.
   * An outer join is not seen.
   */
  readonly mayBeNull: boolean | undefined;
};

type Field = {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
};

/** Types whose values the driver does not return as text. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  int2: 'number',
  int4: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  bool: 'boolean',
  date: 'Date',
  timestamp: 'Date',
  timestamptz: 'Date',
  bytea: 'Buffer',
  json: 'json',
  jsonb: 'json',
};

/** The columns that a statement gives, without running it; none if it gives no rows. */
export async function describeColumns(sql: Sql, text: string): Promise<Column[]> {
  const fields = await describeFields(sql, text);
  const { rows } = await sql.query<{
    kind: string;
    is_array: boolean;
    may_be_null: boolean | null;
  }>(
    `select typname as kind, typcategory = 'A' as is_array, not attnotnull as may_be_null
     from unnest($1::oid[], $2::oid[], $3::int2[]) with ordinality as f(type, "table", "column", no)
     join pg_type on pg_type.oid = type
     left join pg_attribute on attrelid = "table" and attnum = "column" and "column" > 0
     order by no`,
    [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ],
  );
  return rows.map(({ kind, is_array: isArray, may_be_null: mayBeNull }, at) => ({
    name: String(fields[at]?.name),
    kind: isArray ? 'array' : (KINDS[kind] ?? 'string'),
    mayBeNull: mayBeNull ?? undefined,
  }));
}

/** The answer to Parse and Describe of the protocol, which `prepare` in SQL does not give. */
function describeFields(sql: Sql, text: string): Promise<readonly Field[]> {
  return new Promise((resolve, reject) => {
    let fields: readonly Field[] = [];
    const description = {
      submit(connection: unknown) {
        const { parse, describe, sync } = connection as ProtocolConnection;
        parse.call(connection, { text });
        describe.call(connection, { type: 'S' });
        sync.call(connection);
      },
      handleRowDescription(message: { readonly fields: readonly Field[] }) {
        ({ fields } = message);
      },
      handleError: reject,
      handleReadyForQuery() {
        resolve(fields);
      },
    };
    sql.query(description);
  });
}

/** Of the driver's connection what a submittable query uses; its types do not declare it. */
type ProtocolConnection = {
  parse(query: { readonly text: string }): void;
  describe(what: { readonly type: 'S' }): void;
  sync(): void;
};
