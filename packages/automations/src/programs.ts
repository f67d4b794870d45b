import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { LRUCache } from 'lru-cache';
import { toProgram, type Program } from './program.ts';

const statement = statementsIn(import.meta.dirname);

/** Versions never change. */
const programs = new LRUCache<string, Program>({ max: 500 });

/** A version of an automation, as its runs go through it. */
export async function readProgram(
  sql: Sql,
  { automationId, version }: { readonly automationId: string; readonly version: number },
): Promise<Program> {
  const key = `${automationId} ${version}`;
  const known = programs.get(key);
  if (known !== undefined) return known;
  const { rows } = await sql.query<{ definition: unknown }>(statement('read-version'), [
    automationId,
    version,
  ]);
  if (rows[0] === undefined) throw new Error('a version of an automation is missing');
  const program = toProgram(rows[0].definition as AutomationDefinition);
  programs.set(key, program);
  return program;
}
