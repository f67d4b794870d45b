import type { Request } from 'express';
import type { Endpoint } from '../endpoint.ts';

type Described = Pick<Endpoint, 'query' | 'answer'>;

/** Whether it pages: then it can be had as a file, too. */
export function isList({ query, answer }: Described): boolean {
  return (
    query !== undefined &&
    'cursor' in query.properties &&
    'format' in query.properties &&
    itemSchemaOf({ query, answer }) !== undefined
  );
}

/** The schema of the items of a list. */
export function itemSchemaOf({ answer }: Described): object | undefined {
  const { properties } = (answer.schema ?? {}) as {
    readonly properties?: { readonly items?: { readonly items?: object } };
  };
  return properties?.items?.items;
}

/** By `?format=csv`, or by an `Accept` that prefers it to JSON. */
export function wantsCsv(req: Request, query: unknown): boolean {
  const { format } = query as { readonly format?: unknown };
  return (
    format === 'csv' ||
    (format === undefined && req.accepts(['application/json', 'text/csv']) === 'text/csv')
  );
}
