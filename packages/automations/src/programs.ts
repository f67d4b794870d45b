import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { LRUCache } from 'lru-cache';
import { toProgram, type Program } from './program.ts';

const statement = statementsIn(import.meta.dirname);

/** Versions never change. */
const programs = new LRUCache<string, Program>({ max: 500 });

type Version = { readonly automationId: string; readonly version: number };

const keyOf = ({ automationId, version }: Version): string => `${automationId} ${version}`;

/** A version of an automation, as its runs go through it. */
export async function readProgram(sql: Sql, version: Version): Promise<Program> {
  const [program] = await readPrograms(sql, [version]);
  if (program === undefined) throw new Error('a version of an automation is missing');
  return program;
}

/** Versions in their order: those that are not known yet by one statement. */
export async function readPrograms(sql: Sql, versions: readonly Version[]): Promise<Program[]> {
  const found = new Map(versions.map((each) => [keyOf(each), programs.get(keyOf(each))]));
  const unknown = versions.filter((each) => found.get(keyOf(each)) === undefined);
  if (unknown.length > 0) {
    const { rows } = await sql.query<{
      automation_id: string;
      version: number;
      definition: unknown;
    }>(statement('read-versions'), [
      unknown.map(({ automationId }) => automationId),
      unknown.map(({ version }) => version),
    ]);
    for (const { automation_id: automationId, version, definition } of rows) {
      const program = toProgram(definition as AutomationDefinition);
      programs.set(keyOf({ automationId, version }), program);
      found.set(keyOf({ automationId, version }), program);
    }
  }
  return versions.map((each) => {
    const program = found.get(keyOf(each));
    if (program === undefined) throw new Error('a version of an automation is missing');
    return program;
  });
}
