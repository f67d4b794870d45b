import type { Database, Sql } from '@tidings/postgres/database';

/** A database whose statements are kept as texts, each once, in the order of their first run. */
export function recordStatements(db: Database): {
  readonly db: Database;
  readonly statements: ReadonlySet<string>;
} {
  const statements = new Set<string>();
  const recording = (sql: Sql): Sql => ({
    query: ((text: string, ...rest: unknown[]) => {
      statements.add(text);
      return (sql.query as (...args: unknown[]) => unknown)(text, ...rest);
    }) as Sql['query'],
  });
  return {
    statements,
    db: {
      ...db,
      sql: recording(db.sql),
      transaction: (work) => db.transaction((sql) => work(recording(sql))),
    },
  };
}

/** How a plan reads one table. */
export type TableRead = {
  readonly table: string;
  readonly how: string;
  readonly index: string | null;
  readonly condition: string;
  readonly filter: string;
};

/** The plan of a statement for any parameter values, as workers' cached plans. */
export async function readPlan(sql: Sql, statement: string): Promise<TableRead[]> {
  const { rows } = await sql.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (generic_plan, format json) ${statement}`,
  );
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => readsOf(Plan)));
}

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
};

function readsOf(node: PlanNode): TableRead[] {
  const below = node.Plans ?? [];
  const { 'Node Type': how, 'Relation Name': table, Filter: filter = '' } = node;
  const reads = below.flatMap(readsOf);
  if (table === undefined || how === 'ModifyTable') return reads;
  // Of a bitmap the index and its condition stand below.
  const { 'Index Name': index = null, 'Index Cond': condition = '' } =
    (how === 'Bitmap Heap Scan' ? below[0] : undefined) ?? node;
  return [{ table, how, index, condition, filter }, ...reads];
}
