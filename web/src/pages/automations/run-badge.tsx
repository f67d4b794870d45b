import type { RunStatus } from '@tidings/contracts/automations/runs';
import type { ListedRun } from '../../api/types.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

export const RUN_LABELS: Readonly<
  Record<RunStatus, { readonly label: string; readonly tone: Tone }>
> = {
  active: { label: 'In it', tone: 'info' },
  completed: { label: 'Past the end', tone: 'quiet' },
  exited: { label: 'Left', tone: 'quiet' },
  failed: { label: 'Failed', tone: 'bad' },
};

/** Where a run is: a goal counts more than the rest. */
export function RunBadge({ run: { status, goalAt } }: { readonly run: ListedRun }) {
  const { label, tone } = RUN_LABELS[status];
  return goalAt === null ? <Badge tone={tone}>{label}</Badge> : <Badge tone="good">Goal</Badge>;
}
