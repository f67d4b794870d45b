import { readMigration } from './migration.ts';
import { tableOf, type Fields, type Node } from './statements.ts';

type NumberedMigration = { readonly number: number; readonly sql: string };
type Index = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly isPartial: boolean;
};

/**
 * Faults of dropped indexes that another one replaces (`-- Replaced by …`). The previous version
 * keeps working: the other index exists from an earlier file, covers all rows, and starts with the
 * same column. That version may have to sort the result.
 */
export async function replacementFaults(
  migrations: readonly NumberedMigration[],
): Promise<readonly string[]> {
  const indexes = new Map<string, Index>();
  const faults: string[] = [];
  for (const { sql } of migrations.toSorted((a, b) => a.number - b.number)) {
    const { statements, replacement } = await readMigration(sql, []);
    for (const { kind, fields } of statements) {
      if (kind === 'IndexStmt') indexes.set(String(fields['idxname']), readIndex(fields));
      if (kind === 'DropStmt' && replacement !== null)
        faults.push(
          ...droppedBy(fields)
            .filter((name) => !replaces(indexes.get(name), indexes.get(replacement)))
            .map((name) => `${name}: ${replacement} does not do its work`),
        );
    }
  }
  return faults;
}

function replaces(dropped: Index | undefined, other: Index | undefined): boolean {
  return (
    dropped !== undefined &&
    other !== undefined &&
    !other.isPartial &&
    other.table === dropped.table &&
    other.columns[0] === dropped.columns[0]
  );
}

function readIndex(fields: Fields): Index {
  const columns = (fields['indexParams'] as readonly Node[]).map(({ IndexElem }) =>
    String(IndexElem?.['name']),
  );
  return { table: tableOf(fields), columns, isPartial: fields['whereClause'] !== undefined };
}

function droppedBy(fields: Fields): string[] {
  type Name = {
    readonly List: { readonly items: readonly { readonly String: { readonly sval: string } }[] };
  };
  return (fields['objects'] as readonly Name[]).map(({ List }) =>
    List.items.map((item) => item.String.sval).join('.'),
  );
}
