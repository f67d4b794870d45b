import { readMigration } from './migration.ts';
import { tableOf, type Fields, type Node } from './statements.ts';

type NumberedMigration = { readonly number: number; readonly sql: string };
type Index = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly isPartial: boolean;
};

/**
 * What is wrong with indexes that are dropped for the sake of others (`-- Replaced by …`): the version before works on
 * while they are gone. The other index is there by an earlier file, has all rows of the table, and finds them by the
 * same first column; that version sorts what it finds, at worst.
 */
export async function replacementFaults(
  migrations: readonly NumberedMigration[],
): Promise<readonly string[]> {
  const indexes = new Map<string, Index>();
  const faults: string[] = [];
  for (const { sql } of migrations.toSorted((a, b) => a.number - b.number)) {
    const { statements, replacement } = await readMigration(sql, []);
    for (const { kind, fields } of statements) {
      if (kind === 'IndexStmt') indexes.set(String(fields['idxname']), indexOf(fields));
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

function indexOf(fields: Fields): Index {
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
