import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import type { Sql } from '@tidings/postgres/database';
import { readConditionContext } from '@tidings/segments/segments';
import { checkSends } from './check-sends.ts';
import { readDefinition } from './read-definition.ts';

/** A definition as it came: the draft, and what runs, with blocks in their places. */
export type CheckedDefinition =
  | { readonly errors: readonly FieldError[] }
  | {
      readonly draft: AutomationDefinition;
      readonly runs: AutomationDefinition;
      readonly warnings: readonly Warning[];
    };

/** Reads a definition of an application with all that it names. Not in a transaction. */
export async function checkDefinition(
  sql: Sql,
  applicationId: string,
  value: unknown,
): Promise<CheckedDefinition> {
  const context = await readConditionContext(sql, applicationId);
  const read = readDefinition(value, context);
  if (!read.ok) return read;
  const sends = await checkSends(sql, read.definition, context);
  return sends.ok
    ? { draft: read.definition, runs: sends.definition, warnings: read.warnings }
    : sends;
}
