import { expect, test } from '@jest/globals';
import { WORDS } from '@tidings/contracts';
import type { DashboardDependencies } from '../dependencies.ts';
import { apiRoutes } from '../server.ts';
import { resolveReferences, type Json } from '../testing/references.ts';
import { openApiDocument } from './document.ts';

const document = resolveReferences(
  JSON.parse(JSON.stringify(openApiDocument(apiRoutes({} as DashboardDependencies)))) as Json,
);
const known = new Set(Object.values(WORDS).flatMap((words) => Object.keys(words)));

/** The values of every closed list that a field of one of these names has, wherever it is. */
function valuesOf(
  value: unknown,
  names: ReadonlySet<string>,
  found = new Set<string>(),
): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, item] of Object.entries(value)) {
    const { enum: list } = (item ?? {}) as { readonly enum?: unknown };
    if (names.has(name) && Array.isArray(list))
      for (const one of list) if (typeof one === 'string') found.add(one);
    valuesOf(item, names, found);
  }
  return found;
}

test('every code that an answer can give as a reason is explained', () => {
  const codes = valuesOf(
    document,
    new Set(['reason', 'code', 'cause', 'disabledReason', 'errorClass', 'kind']),
  );
  const kindsOfThings = new Set([
    'action',
    'revenue',
    'businessEvent',
    'web_push',
    'fcm',
    'none',
    'event',
    'message',
    'profile',
  ]);

  expect(codes.size).toBeGreaterThan(60);
  expect([...codes].filter((code) => !known.has(code) && !kindsOfThings.has(code))).toEqual([]);
});
