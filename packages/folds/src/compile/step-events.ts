import type { Settings } from './settings.ts';

/** A step: the definitions of its events, and as SQL of events `e` what else one must have. */
export type CompiledStep = {
  readonly slugs: readonly string[];
  readonly where: readonly string[];
};

/** The steps of a funnel, by definition. */
export type Branch = {
  readonly slug: string;
  /** Of each step with this definition its bit, and what else an event must have. */
  readonly steps: readonly { readonly bit: number; readonly where: string }[];
};

/**
 * SQL: the events of a slice that match a step, as time, stored user and bits of the steps. Entries
 * come first, so that others of persons who entered never are left out. Definitions without `where`
 * are read from an index alone.
 * @param hasEntries whether the first step may match in this slice
 * @param group SQL of a value of `e`, a jsonb: of entries it is a further column, as text
 */
export function compileStepEvents(
  steps: readonly CompiledStep[],
  {
    application,
    settings,
    after,
    before,
    hasEntries,
    group = null,
  }: {
    readonly application: string;
    readonly settings: Settings;
    readonly after: string;
    readonly before: string;
    readonly hasEntries: boolean;
    readonly group?: string | null;
  },
): string | null {
  const branches = branchesOf(steps, hasEntries);
  const isOf = ({ slug }: Branch): string =>
    `e.application_id = ${application} and e.slug = ${settings.add(slug, 'text')}
       and e.user_id is not null and e.time >= ${after} and e.time < ${before}`;
  const events = (branch: Branch, also: readonly string[], value: string | null = null): string =>
    `select e.time, e.user_id, ${maskOf(branch)} as steps
         ${group === null ? '' : `, ${value ?? 'null'}::text as value`} from events e
       where ${[isOf(branch), ...also].join(' and ')}`;
  const entries = branches.flatMap((branch) =>
    branch.steps
      .filter(({ bit }) => bit === 1)
      .map(({ where }) => events(branch, where === TRUE ? [] : [where], group)),
  );
  const others = branches.flatMap((branch) => {
    const entry = branch.steps.find(({ bit }) => bit === 1);
    const later = branch.steps.filter(({ bit }) => bit !== 1);
    if (later.length === 0 || entry?.where === TRUE) return [];
    return [
      events(branch, [
        ...(entry === undefined ? [] : [`not ${entry.where}`]),
        ...(later.some(({ where }) => where === TRUE)
          ? []
          : [`(${later.map(({ where }) => where).join(' or ')})`]),
      ]),
    ];
  });
  const all = [...entries, ...others];
  return all.length === 0 ? null : all.join(' union all ');
}

const TRUE = 'true';

export function branchesOf(steps: readonly CompiledStep[], hasEntries: boolean): Branch[] {
  const bySlug = new Map<string, { bit: number; where: string }[]>();
  for (const [index, step] of steps.entries()) {
    if (index === 0 && !hasEntries) continue;
    const where = step.where.length === 0 ? TRUE : `(${step.where.join(' and ')})`;
    for (const slug of new Set(step.slugs))
      bySlug.set(slug, [...(bySlug.get(slug) ?? []), { bit: 1 << index, where }]);
  }
  return [...bySlug].map(([slug, of]) => ({ slug, steps: of }));
}

/** SQL: whether an event matches one of the steps. */
export const isSuch = ({ steps }: Branch): string =>
  steps.some(({ where }) => where === TRUE)
    ? TRUE
    : `(${steps.map(({ where }) => where).join(' or ')})`;

/** SQL: the bits of the steps that an event matches. */
export function maskOf({ steps }: Branch): string {
  const always = steps
    .filter(({ where }) => where === TRUE)
    .reduce((bits, { bit }) => bits | bit, 0);
  return [
    String(always),
    ...steps
      .filter(({ where }) => where !== TRUE)
      .map(({ bit, where }) => `(case when ${where} then ${bit} else 0 end)`),
  ].join(' + ');
}
