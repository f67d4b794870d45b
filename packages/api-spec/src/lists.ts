import type { Endpoint } from './endpoint.ts';

type Described = Pick<Endpoint, 'query' | 'answer'>;

/** Whether it pages: then it can be had as a file, too. */
export function isList({ query, answer }: Described): boolean {
  return (
    query !== undefined &&
    'cursor' in query.properties &&
    'format' in query.properties &&
    getItemSchema({ query, answer }) !== undefined
  );
}

/** The schema of the items of a list. */
export function getItemSchema({ answer }: Described): object | undefined {
  const { properties } = (answer.schema ?? {}) as {
    readonly properties?: { readonly items?: { readonly items?: object } };
  };
  return properties?.items?.items;
}

/** A column: its name, and where its value is in an item. */
export type Column = { readonly name: string; readonly path: readonly string[] };

type Schema = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly anyOf?: readonly object[];
};

/**
 * The columns of items of a schema: each field, those of an object by themselves (`counts.sent`); of alternative kinds of
 * items those of all. A field that has alternatives is one column.
 */
export function listColumns(schema: object | undefined, path: readonly string[] = []): Column[] {
  const { properties, anyOf } = (schema ?? {}) as Schema;
  const alternatives = path.length === 0 ? anyOf : undefined;
  const all =
    alternatives?.flatMap((alternative) => listColumns(alternative)) ??
    Object.entries(properties ?? {}).flatMap(([name, field]) => {
      const own = listColumns(field, [...path, name]);
      return own.length > 0 ? own : [{ name: [...path, name].join('.'), path: [...path, name] }];
    });
  return [...new Map(all.map((column) => [column.name, column])).values()];
}
