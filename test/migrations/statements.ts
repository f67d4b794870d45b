import { parse } from 'libpg-query';

/** A parsed statement: the name of its kind in Postgres, and its fields. */
export type Statement = { readonly kind: string; readonly fields: Fields };
export type Fields = { readonly [field: string]: unknown };
/** An expression or statement part, under the name of its kind. */
export type Node = { readonly [kind: string]: Fields };

/** @throws if it is empty or not SQL */
export async function parseStatements(sql: string): Promise<readonly Statement[]> {
  const { stmts = [] } = (await parse(sql)) as unknown as {
    readonly stmts?: readonly { readonly stmt: Node }[];
  };
  return stmts.flatMap(({ stmt }) =>
    Object.entries(stmt).map(([kind, fields]) => ({ kind, fields })),
  );
}

/** The table of a statement as written; empty if it has none. */
export function tableOf(fields: Fields): string {
  return nameOf(fields['relation']) ?? '';
}

/** All tables named in it. */
export function tablesIn(node: unknown): string[] {
  return listParts(node).flatMap(([, part]) => nameOf(part) ?? []);
}

/** True if it contains a part of one of these kinds. */
export function has(node: unknown, kinds: readonly string[]): boolean {
  return listParts(node).some(([kind]) => kinds.includes(kind));
}

/** The parts of a name, without quotes. */
export function joinNames(names: unknown): string {
  return (names as readonly { readonly String: { readonly sval: string } }[])
    .map(({ String: { sval } }) => sval)
    .join('.');
}

function nameOf(part: unknown): string | undefined {
  const { schemaname, relname } = (part ?? {}) as {
    readonly schemaname?: string;
    readonly relname?: string;
  };
  return relname === undefined || schemaname === undefined ? relname : `${schemaname}.${relname}`;
}

function listParts(node: unknown): [string, unknown][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, part]) => [[key, part], ...listParts(part)]);
}
