import { ownTables } from './locks.ts';
import {
  has,
  parseStatements,
  tableOf,
  joinNames,
  type Fields,
  type Statement,
} from './statements.ts';

/** A single insert without other effects. */
const BODY = /^\s*begin\s+(insert\s[\s\S]*?;)\s*return null;\s*end;?\s*$/i;

/**
 * New trigger functions that only insert into a table of this file, by name. They do not affect
 * what the previous version reads or writes.
 */
export async function countersIn(statements: readonly Statement[]): Promise<ReadonlySet<string>> {
  const own = ownTables(statements);
  const counters = new Set<string>();
  for (const { kind, fields } of statements) {
    const insert =
      kind === 'CreateFunctionStmt' && fields['replace'] !== true
        ? BODY.exec(readBody(fields))?.[1]
        : undefined;
    const parsed = insert === undefined ? [] : await parseStatements(insert).catch(() => []);
    const [only] = parsed;
    if (
      parsed.length === 1 &&
      only?.kind === 'InsertStmt' &&
      own.has(tableOf(only.fields)) &&
      !has(only.fields, ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'LockingClause'])
    )
      counters.add(joinNames(fields['funcname']));
  }
  return counters;
}

/** True if a trigger calls one of them, once per statement and after it. */
export function onlyCounts(fields: Fields, counters: ReadonlySet<string>): boolean {
  return (
    fields['row'] !== true &&
    fields['timing'] === undefined &&
    fields['isconstraint'] !== true &&
    fields['replace'] !== true &&
    counters.has(joinNames(fields['funcname']))
  );
}

function readBody(fields: Fields): string {
  const options = (fields['options'] ?? []) as readonly {
    readonly DefElem: {
      readonly defname: string;
      readonly arg: {
        readonly List?: {
          readonly items: readonly { readonly String?: { readonly sval: string } }[];
        };
      };
    };
  }[];
  return (
    options.find(({ DefElem }) => DefElem.defname === 'as')?.DefElem.arg.List?.items[0]?.String
      ?.sval ?? ''
  );
}
