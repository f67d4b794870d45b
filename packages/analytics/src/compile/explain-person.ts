import { createSettings } from '@tidings/folds/compile/settings';
import { readInstant } from '@tidings/folds/read-instant';
import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { FunnelOf } from '@tidings/segments/compile/fold-funnel';
import { compileWhere } from '@tidings/segments/compile/named-event';
import { createParameters } from '@tidings/segments/compile/parameters';
import { toMs } from '@tidings/segments/durations';
import { compilePersonEvents, compileSteps, partsOf, slugsOfSteps } from './person-events.ts';
import { createPersonChains, type Chain, type ChainEvent } from '../person-chains.ts';

const statement = statementsIn(import.meta.dirname);

const REFUSED_MAX = 10;

export type ChainStep = { readonly at: number; readonly eventId: string };

/** Why a person came no further. */
export type MissingStep = {
  /** The last instant, in milliseconds, at which the step would have counted, or will. */
  readonly lookedUntil: number;
  /** The first event of the step that came too late. */
  readonly nextAfterwards?: ChainStep;
  /** Events that came in time and that a comparison of the step refused: the first, at most ten. */
  readonly rejected: readonly { readonly eventId: string; readonly pointer: string }[];
};

/** How a person stands to a funnel. */
export type PersonState = 'not_entered' | 'dropped' | 'open' | 'converted';

export type FunnelExplanation = {
  readonly reached: number;
  readonly state: PersonState;
  /** The chain by which the person first came so far, and unless it is the last one the next step. */
  readonly steps: readonly (ChainStep | { readonly missing: MissingStep })[];
};

type OwnEvent = { readonly eventId: string; /** Of each step. */ readonly verdicts: Int16Array };
/** An event of another definition, or too late to enter. */
const NOT_NAMED = -1;

/**
 * Explains a funnel for a registered user; null if there is none with this customUserId. Memory does
 * not grow with the person's events. For `askUsers`.
 */
export async function explainFunnel(
  sql: Sql,
  of: FunnelOf,
  customUserId: string,
): Promise<FunnelExplanation | null> {
  const { context, funnel, to, now } = of;
  const { rows } = await sql.query<{ id: string }>(statement('find-registered'), [
    context.applicationId,
    customUserId,
  ]);
  const [user] = rows;
  if (user === undefined) return null;
  const steps = funnel.steps.length;
  const windowMs = toMs(funnel.window);
  const chains = createPersonChains<OwnEvent>({ steps, windowMs, refusedMax: REFUSED_MAX });
  await readChains(sql, { ...of, userId: user.id }, chains);

  const reached = chains.reached();
  const chain = listChain(chains.first(reached));
  if (reached === steps) return { reached, state: 'converted', steps: chain };
  const lookedUntil = reached === 0 ? to - 1 : chains.startOf(reached) + windowMs;
  const nextAfterwards =
    lookedUntil >= now
      ? null
      : await findNext(sql, { ...of, userId: user.id, after: lookedUntil, step: reached });
  const state = lookedUntil >= now ? 'open' : 'dropped';
  return {
    reached,
    state: reached === 0 ? 'not_entered' : state,
    steps: [
      ...chain,
      {
        missing: {
          lookedUntil,
          ...(nextAfterwards !== null && { nextAfterwards }),
          rejected: chains.refused(reached + 1).map(({ event }) => ({
            eventId: event.eventId,
            pointer: `/steps/${reached}/where/${(event.verdicts[reached] ?? 0) - 1}`,
          })),
        },
      },
    ],
  };
}

/** Reads the events of the steps in the order of time. */
async function readChains(
  sql: Sql,
  { userId, ...of }: FunnelOf & { readonly userId: string },
  chains: ReturnType<typeof createPersonChains<OwnEvent>>,
): Promise<void> {
  const { funnel, from, to, now } = of;
  const settings = createSettings();
  const parts = partsOf(of, settings);
  const end = Math.min(to + toMs(funnel.window), now + 1);
  const bound = (value: number): string => settings.add(value, 'bigint');
  const isInRange = `e.time >= ${bound(from)} and e.time < ${bound(end)}`;
  const isEntry = `e.time < ${bound(to)}`;
  // 0: it matches; otherwise the place of the comparison that refuses it, from 1.
  const verdicts = compileSteps(parts, funnel.steps).map(({ isNamed, comparisons }, step) => {
    const refusals = comparisons.map((each, index) => `when not ${each} then ${index + 1}`);
    const verdict = refusals.length === 0 ? '0' : `case ${refusals.join(' ')} else 0 end`;
    const is = step === 0 ? `${isNamed} and ${isEntry}` : isNamed;
    return `case when ${is} then ${verdict} else ${NOT_NAMED} end`;
  });
  const columns = verdicts.map((_verdict, step) => `v${step}`);
  const events = compilePersonEvents(
    parts,
    { ids: [userId], slugs: slugsOfSteps(parts, funnel.steps) },
    (isOf) => `select e.time, e.received_at, e.message_id,
        ${verdicts.map((verdict, step) => `(${verdict})::int as ${columns[step]}`).join(', ')}
      from events e where ${isOf} and ${isInRange} offset 0`,
  );
  await settings.apply(sql);

  let instant = Number.NaN;
  let together: ChainEvent<OwnEvent>[] = [];
  const kinds = new Map<number, number>();
  const flush = (): void => {
    if (together.length > 0) chains.apply(instant, together);
    together = [];
    kinds.clear();
  };
  await copyOut(
    sql,
    `select e.time, e.message_id, ${columns.map((column) => `e.${column}`).join(', ')} from ${events}
     order by e.time, e.received_at, e.message_id collate "C"`,
    {
      fields: 2 + columns.length,
      onRow: ({ bytes, offsets, lengths }) => {
        const time = readInstant(bytes, offsets[0] as number);
        if (time !== instant) flush();
        instant = time;
        const own = Int16Array.from(columns, (_column, step) =>
          bytes.readInt32BE(offsets[2 + step]),
        );
        const matches = bitsOf(own, (verdict) => verdict === 0);
        const refused = bitsOf(own, (verdict) => verdict > 0);
        // At one instant, more events of a kind than steps and shown ones change nothing.
        const kind = (matches << columns.length) | refused;
        const count = kinds.get(kind) ?? 0;
        if (kind === 0 || count >= columns.length + REFUSED_MAX) return;
        kinds.set(kind, count + 1);
        const text = offsets[1] as number;
        const eventId = bytes.toString('utf8', text, text + (lengths[1] as number));
        together.push({ event: { eventId, verdicts: own }, matches, refused });
      },
    },
  );
  flush();
}

const bitsOf = (verdicts: Int16Array, isSuch: (verdict: number) => boolean): number =>
  verdicts.reduce((bits, verdict, step) => (isSuch(verdict) ? bits | (1 << step) : bits), 0);

/** The first event of a step after an instant. */
async function findNext(
  sql: Sql,
  {
    userId,
    after,
    step,
    ...of
  }: FunnelOf & { readonly userId: string; readonly after: number; readonly step: number },
): Promise<ChainStep | null> {
  const parameters = createParameters();
  const parts = partsOf(of, parameters);
  const steps = of.funnel.steps.slice(step, step + 1);
  const comparisons = steps.flatMap(({ where }) => compileWhere(parts, where));
  const order = 'order by e.time, e.received_at, e.message_id collate "C" limit 1';
  const events = compilePersonEvents(
    parts,
    { ids: [userId], slugs: slugsOfSteps(parts, steps) },
    (isOf) => `select e.time, e.received_at, e.message_id from events e
      where ${[
        isOf,
        `e.time > ${parameters.add(after, 'bigint')}`,
        `e.time <= ${parameters.add(of.now, 'bigint')}`,
        ...comparisons,
      ].join(' and ')} ${order}`,
  );
  const { rows } = await sql.query<{ time: string; message_id: string }>(
    `select e.time::text as time, e.message_id from ${events} ${order}`,
    parameters.values,
  );
  const [row] = rows;
  return row === undefined ? null : { at: Number(row.time), eventId: row.message_id };
}

function listChain(chain: Chain<OwnEvent> | null): ChainStep[] {
  const listed: ChainStep[] = [];
  for (let link = chain; link !== null; link = link.before)
    listed.unshift({ at: link.time, eventId: link.event.eventId });
  return listed;
}
