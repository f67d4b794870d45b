import { parse } from 'libpg-query';

/** A statement as the parser of Postgres reads it: the name of its kind there, and its fields. */
export type Statement = { readonly kind: string; readonly fields: Fields };
export type Fields = { readonly [field: string]: unknown };
/** An expression, or a part of a statement, below the name of its kind. */
export type Node = { readonly [kind: string]: Fields };

/** @throws when it is empty or no SQL */
export async function statementsOf(sql: string): Promise<readonly Statement[]> {
  const { stmts = [] } = (await parse(sql)) as {
    readonly stmts?: readonly { readonly stmt: Node }[];
  };
  return stmts.flatMap(({ stmt }) =>
    Object.entries(stmt).map(([kind, fields]) => ({ kind, fields })),
  );
}

/** The table that a statement is about, as it spells it; empty where it is about none. */
export function tableOf(fields: Fields): string {
  return nameOf(fields['relation']) ?? '';
}

/** Each table that is named anywhere in it. */
export function tablesIn(node: unknown): string[] {
  return partsOf(node).flatMap(([, part]) => nameOf(part) ?? []);
}

/** Whether a part of one of these kinds is anywhere in it. */
export function has(node: unknown, kinds: readonly string[]): boolean {
  return partsOf(node).some(([kind]) => kinds.includes(kind));
}

/** The parts of a name, without quotes. */
export function wordsOf(names: unknown): string {
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

function partsOf(node: unknown): [string, unknown][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, part]) => [[key, part], ...partsOf(part)]);
}
