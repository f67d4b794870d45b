import type {
  AutomationDefinition,
  AutomationNode,
  AutomationSend,
} from '@tidings/contracts/automations/definition';
import type { RehearsedNode } from '@tidings/contracts/automations/rehearsals';
import { keyOfNode, placesOf, type NodeKey, type Nodes } from './tree.ts';
import type { AutomationReport } from '../api/types.ts';
import { formatCount, formatShare } from '../lib/format.ts';
import { reachOfStep } from './sent-reach.ts';

export type StepReport = AutomationReport['nodes'][number];

/** What stands at a step. */
export type StepNumbers = {
  /** Null: no one came there. */
  readonly count: string | null;
  /** What it counts. */
  readonly words: string;
  /** How many took which branch. */
  readonly branches?: Readonly<Record<string, number>>;
  /** The better branch. */
  readonly won?: number;
};

/** The numbers of a report, by step. */
export const reportNumbers = (
  { nodes }: AutomationDefinition,
  reports: readonly StepReport[],
): ReadonlyMap<string, StepNumbers> => numbersBy(nodes, reports, reportedAt);

/** Those of a rehearsal. */
export const rehearsedNumbers = (
  { nodes }: AutomationDefinition,
  rehearsed: readonly RehearsedNode[],
): ReadonlyMap<string, StepNumbers> => numbersBy(nodes, rehearsed, rehearsedAt);

type Counted = Pick<StepReport, 'id' | 'branches'>;

function numbersBy<Report extends Counted>(
  nodes: Nodes,
  reports: readonly Report[],
  toNumbers: (node: AutomationNode, report: Report) => StepNumbers,
): ReadonlyMap<string, StepNumbers> {
  const byId = new Map(placesOf(nodes).map(({ node }) => [node.id, node]));
  return new Map(
    reports.flatMap((report) => {
      const node = byId.get(report.id);
      if (node === undefined) return [];
      const { branches } = report;
      return [[report.id, { ...toNumbers(node, report), ...(branches && { branches }) }]];
    }),
  );
}

function reportedAt(node: AutomationNode, report: StepReport): StepNumbers {
  const { entered, waiting, sent } = report;
  const passed = PASSED[keyOfNode(node)];
  if (entered === 0) return { count: null, words: '' };
  const won = report.winner?.decision?.choice ?? null;
  if (won !== null) return { count: formatCount(entered), words: passed, won };
  if ('send' in node && sent !== undefined)
    return { count: formatCount(sent.total), words: sentWords(sent, node.send, report.skipped) };
  if (waiting > 0) return { count: formatCount(waiting), words: 'waiting now' };
  return { count: formatCount(entered), words: passed };
}

function rehearsedAt(node: AutomationNode, rehearsed: RehearsedNode): StepNumbers {
  const { entered, sent, skipped = {}, unreachable = {} } = rehearsed;
  if (entered === 0) return { count: null, words: '' };
  if (!('send' in node) || sent === undefined)
    return { count: formatCount(entered), words: PASSED[keyOfNode(node)] };
  const missed = [...Object.values(skipped), ...Object.values(unreachable)].reduce(
    (sum, n) => sum + n,
    0,
  );
  const noun = sent === 1 ? 'message' : 'messages';
  return {
    count: formatCount(sent),
    words: missed === 0 ? noun : `${noun}, ${formatCount(missed)} not reached`,
  };
}

const PASSED: Readonly<Record<NodeKey, string>> = {
  delay: 'waited',
  until: 'waited',
  waitFor: 'waited',
  if: 'asked',
  split: 'split',
  send: 'came here',
  exit: 'ended here',
};

const PARTS_SHOWN = 2;

function sentWords(
  sent: NonNullable<StepReport['sent']>,
  send: AutomationSend,
  skipped: StepReport['skipped'] = {},
): string {
  const { base } = reachOfStep(send, sent);
  const missed = Object.values(skipped).reduce((sum, n) => sum + n, 0) + sent.failed;
  const parts = [
    ...(sent.opened > 0 ? [`${formatShare(sent.opened, base)} opened`] : []),
    ...(sent.clicked > 0 ? [`${formatShare(sent.clicked, base)} clicked`] : []),
    ...(missed > 0 ? [`${formatCount(missed)} not reached`] : []),
  ];
  return parts.length === 0 ? 'sent' : parts.slice(0, PARTS_SHOWN).join(', ');
}
