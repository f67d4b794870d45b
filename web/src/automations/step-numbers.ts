import { type NodeKey } from './tree.ts';
import type { AutomationReport } from '../api/types.ts';
import { formatCount, formatShare } from '../lib/format.ts';

export type StepReport = AutomationReport['nodes'][number];

/** The number at a step and what it counts; null: no one came there. */
export function stepNumbers(
  kind: NodeKey,
  report: StepReport | undefined,
): { readonly count: string | null; readonly words: string } {
  if (report === undefined || report.entered === 0) return { count: null, words: '' };
  const { entered, waiting, sent } = report;
  if (kind === 'send' && sent !== undefined)
    return { count: formatCount(sent.total), words: sentWords(report) };
  if (waiting > 0) return { count: formatCount(waiting), words: 'waiting now' };
  return { count: formatCount(entered), words: PASSED[kind] };
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

function sentWords({ sent, skipped = {} }: StepReport): string {
  if (sent === undefined) return '';
  const missed = Object.values(skipped).reduce((sum, n) => sum + n, 0) + sent.failed;
  const parts = [
    ...(sent.opened > 0 ? [`${formatShare(sent.opened, sent.delivered)} opened`] : []),
    ...(sent.clicked > 0 ? [`${formatShare(sent.clicked, sent.delivered)} clicked`] : []),
    ...(missed > 0 ? [`${formatCount(missed)} not reached`] : []),
  ];
  return parts.length === 0 ? 'sent' : parts.slice(0, PARTS_SHOWN).join(', ');
}
