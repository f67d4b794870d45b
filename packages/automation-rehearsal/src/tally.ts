import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type {
  ByReason,
  RehearsalCounts,
  RehearsedRun,
} from '@tidings/contracts/automations/rehearsals';
import type { EntryRefusal } from '@tidings/contracts/automations/runs';
import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import { toReport, type CountRow, type SentCounts } from '@tidings/automation-reports/report';
import type { Count } from '@tidings/automations/write-steps';

/** A message that was not sent. */
export type TalliedSend = {
  readonly node: string;
  readonly channel: Channel;
  /** Why it would not reach its person; null: it would. */
  readonly unreachable: string | null;
};

export type KeptRun = RehearsedRun & { readonly userId: string };

type Day = Record<'entered' | 'completed' | 'exited' | 'goals' | 'sent', number>;
const DAY_OF = {
  entered: 'entered',
  completed: 'completed',
  exited: 'exited',
  goal: 'goals',
} as const;

/** Adds up what runs do. */
export type Tally = {
  counted(counts: readonly Count[], at: number): void;
  sent(send: TalliedSend, at: number): void;
  refused(reason: EntryRefusal): void;
  /** Keeps a run to be shown, while there is room. */
  keep(run: KeptRun): void;
  readonly kept: readonly KeptRun[];
  result(): Omit<RehearsalCounts, 'people' | 'events' | 'cut'>;
};

export function createTally({ nodes }: Pick<AutomationDefinition, 'nodes'>): Tally {
  const counts = new Map<string, CountRow>();
  const days = new Map<string, Day>();
  const sends = new Map<string, TalliedSend & { n: number }>();
  const refused = new Map<string, number>();
  const kept: KeptRun[] = [];
  const dayOf = (at: number): Day => {
    const day = new Date(at).toISOString().slice(0, 10);
    const known = days.get(day) ?? { entered: 0, completed: 0, exited: 0, goals: 0, sent: 0 };
    days.set(day, known);
    return known;
  };
  return {
    counted(own, at) {
      for (const { node, outcome, reason = '', n = 1 } of own) {
        const key = `${node} ${outcome} ${reason}`;
        counts.set(key, { node, outcome, reason, n: (counts.get(key)?.n ?? 0) + n });
        if (node === '' && outcome in DAY_OF)
          dayOf(at)[DAY_OF[outcome as keyof typeof DAY_OF]] += n;
      }
    },
    sent(send, at) {
      const key = `${send.node} ${send.channel} ${send.unreachable ?? ''}`;
      sends.set(key, { ...send, n: (sends.get(key)?.n ?? 0) + 1 });
      dayOf(at).sent += 1;
    },
    refused(reason) {
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    },
    keep(run) {
      if (kept.length < LIMITS.rehearsalTracesMax) kept.push(run);
    },
    kept,
    result() {
      const rows = [...counts.values()];
      const { failed: _none, nodes: reported, ...totals } = toReport(rows, nodes, NOTHING_SENT);
      const all = [...sends.values()];
      return {
        ...totals,
        refused: Object.fromEntries(refused),
        nodes: reported.map(({ sent: _never, ...node }) => {
          const own = all.filter((send) => send.node === node.id);
          return {
            ...node,
            ...(own.length > 0 && { sent: sumOf(own), unreachable: unreachableOf(own) }),
          };
        }),
        days: [...days]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([day, own]) => ({ day, ...own })),
        channels: [...Map.groupBy(all, ({ channel }) => channel)].map(([channel, own]) => ({
          channel,
          sent: sumOf(own),
          unreachable: unreachableOf(own),
        })),
        unreachable: unreachableOf(all),
        skipped: byReason(
          rows.flatMap(({ outcome, reason, n }) => (outcome === 'skipped' ? [{ reason, n }] : [])),
        ),
      };
    },
  };
}

const NOTHING_SENT: ReadonlyMap<string, SentCounts> = new Map();

type Counted = { readonly n: number };

const sumOf = (counted: readonly Counted[]): number => counted.reduce((sum, { n }) => sum + n, 0);

const unreachableOf = (sends: readonly (TalliedSend & Counted)[]): ByReason =>
  byReason(
    sends.flatMap(({ unreachable, n }) =>
      unreachable === null ? [] : [{ reason: unreachable, n }],
    ),
  );

const byReason = (counted: readonly (Counted & { readonly reason: string })[]): ByReason =>
  Object.fromEntries(
    [...Map.groupBy(counted, ({ reason }) => reason)].map(([reason, own]) => [reason, sumOf(own)]),
  );
