import type { ReactNode } from 'react';
import { humanize } from '../lib/format.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** The tone of every status in the API: colour is for trouble and for what runs. Unknown statuses are quiet. */
const TONES: Readonly<Record<string, Tone>> = {
  scheduled: 'info',
  queued: 'info',
  sending: 'info',
  active: 'good',
  paused: 'warn',
  completed: 'quiet',
  canceled: 'quiet',
  failed: 'bad',
  pending: 'quiet',
  claimed: 'quiet',
  retry_wait: 'warn',
  waiting: 'info',
  sent: 'quiet',
  delivered: 'quiet',
  displayed: 'quiet',
  opened: 'quiet',
  clicked: 'quiet',
  unknown: 'warn',
  expired: 'quiet',
  not_configured: 'quiet',
  untested: 'warn',
  ready: 'quiet',
  processed: 'quiet',
  duplicate: 'warn',
  dropped: 'bad',
  held: 'warn',
  rejected: 'bad',
  enabled: 'quiet',
  disabled: 'bad',
  succeeded: 'quiet',
  replaying: 'info',
  replayed: 'quiet',
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
