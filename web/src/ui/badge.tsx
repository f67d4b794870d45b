import type { ReactNode } from 'react';
import { humanize } from '../lib/format.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** The tone of every status in the API. Unknown statuses are quiet. */
const TONES: Readonly<Record<string, Tone>> = {
  scheduled: 'info',
  queued: 'info',
  sending: 'info',
  paused: 'warn',
  completed: 'good',
  canceled: 'quiet',
  failed: 'bad',
  pending: 'quiet',
  claimed: 'quiet',
  retry_wait: 'warn',
  waiting: 'info',
  sent: 'good',
  delivered: 'good',
  displayed: 'good',
  opened: 'good',
  clicked: 'good',
  unknown: 'warn',
  expired: 'quiet',
  not_configured: 'quiet',
  untested: 'warn',
  ready: 'good',
  processed: 'good',
  duplicate: 'warn',
  dropped: 'bad',
  held: 'warn',
  rejected: 'bad',
  enabled: 'good',
  disabled: 'bad',
  succeeded: 'good',
  replaying: 'info',
  replayed: 'good',
  discarded: 'quiet',
};

export function Badge({
  tone = 'quiet',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={TONES[status] ?? 'quiet'}>{humanize(status)}</Badge>;
}
