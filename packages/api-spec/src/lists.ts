import type { Endpoint } from './endpoint.ts';

type Described = Pick<Endpoint, 'query' | 'answer'>;

/** Whether the endpoint is a paged list. Such lists can be downloaded as CSV. */
export function isList({ query, answer }: Described): boolean {
  return (
    query !== undefined &&
    'cursor' in query.properties &&
    'format' in query.properties &&
    getItemSchema({ query, answer }) !== undefined
  );
}

export function getItemSchema({ answer }: Described): object | undefined {
  const { properties } = (answer.schema ?? {}) as {
    readonly properties?: { readonly items?: { readonly items?: object } };
  };
  return properties?.items?.items;
}

/** A CSV column: its name, and the path of its value in an item. */
export type Column = { readonly name: string; readonly path: readonly string[] };

type Schema = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly anyOf?: readonly object[];
};

/**
 * The CSV columns of a list: one per field. Fields of a nested object become columns of their own
 * (`counts.sent`). For alternative item types it returns the union. A field with alternatives is
 * one column.
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
