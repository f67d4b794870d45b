import { conditionsOf, type AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type Named = { readonly slug: string; readonly name: string };

/**
 * What names a segment or a funnel: other segments, campaigns whose recipients are not read yet, variants of
 * templates, and automations.
 */
export type Uses = {
  readonly segments: readonly Named[];
  readonly campaignIds: readonly string[];
  readonly templates: readonly Named[];
  /** Whose draft, or what people enter, names it. */
  readonly automations: readonly Named[];
};

/** What names something in an application, by its conditions and the audiences of its campaigns. */
export async function readUses(
  sql: Sql,
  { applicationId, segments }: Which,
  { inCondition, inAudience = () => false }: Names,
): Promise<Uses> {
  return {
    segments: namingOf(segments, inCondition),
    campaignIds: await listWaitingCampaigns(sql, applicationId, { inCondition, inAudience }),
    templates: namingOf(await readTemplateConditions(sql, applicationId), inCondition),
    automations: namingOf(await readAutomationConditions(sql, applicationId), inCondition),
  };
}

/** Where, with the segments that there are now. */
type Which = { readonly applicationId: string; readonly segments: readonly NamedCondition[] };

type Names = {
  readonly inCondition: (condition: Condition) => boolean;
  readonly inAudience?: (audience: StoredAudience) => boolean;
};

export const isUsed = ({ segments, campaignIds, templates, automations }: Uses): boolean =>
  segments.length + campaignIds.length + templates.length + automations.length > 0;

type NamedCondition = Named & { readonly condition: Condition };

export async function readTemplateConditions(
  sql: Sql,
  applicationId: string,
): Promise<readonly NamedCondition[]> {
  const { rows } = await sql.query<NamedCondition>(statement('read-template-conditions'), [
    applicationId,
  ]);
  return rows;
}

async function readAutomationConditions(
  sql: Sql,
  applicationId: string,
): Promise<readonly NamedCondition[]> {
  const rows = await readAutomationDefinitions(sql, applicationId);
  return rows.flatMap(({ slug, name, definition }) =>
    conditionsOf(definition).map((condition) => ({
      slug,
      name,
      condition,
    })),
  );
}

export async function readAutomationDefinitions(
  sql: Sql,
  applicationId: string,
): Promise<readonly (Named & { readonly definition: AutomationDefinition })[]> {
  const { rows } = await sql.query<Named & { definition: unknown }>(
    statement('read-automations-with-conditions'),
    [applicationId],
  );
  return rows.map((row) => ({ ...row, definition: row.definition as AutomationDefinition }));
}

/** Those that have a condition that names something. */
export function namingOf(
  conditions: readonly NamedCondition[],
  isNamed: (condition: Condition) => boolean,
): Named[] {
  const naming = conditions.filter(({ condition }) => isNamed(condition));
  // Several conditions of one may name it.
  return [...new Map(naming.map((row) => [row.slug, { slug: row.slug, name: row.name }])).values()];
}

/** Campaigns that will ask for something when they begin. */
async function listWaitingCampaigns(
  sql: Sql,
  applicationId: string,
  { inCondition, inAudience }: Required<Names>,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; audience: unknown }>(
    statement('read-waiting-audiences'),
    [applicationId],
  );
  return rows
    .filter((row) => {
      const audience = row.audience as StoredAudience;
      const { condition } = audience;
      return inAudience(audience) || (condition !== null && inCondition(condition));
    })
    .map(({ id }) => id);
}
