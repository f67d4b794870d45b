import type { ChannelAccount, ListedChannel } from '../../api/types.ts';
import { formatShare } from '../../lib/format.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';

/** Whether a channel, or one of its accounts, can send now, and what became of the last hour's attempts. */
export function ChannelBadge({
  channel: { status, pause, breaker },
  health,
}: {
  readonly channel: Pick<ChannelAccount, 'breaker' | 'pause'> & Pick<ListedChannel, 'status'>;
  /** Of a channel; an account has none of its own. */
  readonly health?: ListedChannel['health'];
}) {
  if (pause !== undefined) return <Badge tone="bad">Paused</Badge>;
  if (health?.state === 'failing') return <Badge tone="bad">Failing</Badge>;
  if (breaker !== undefined) return <Badge tone="warn">Provider issues</Badge>;
  if (health?.state === 'degraded') {
    const { failed, unknown, attempts } = health;
    return <Badge tone="warn">{formatShare(failed + unknown, attempts)} failed</Badge>;
  }
  if (status === 'ready' && health?.state === 'sending') return <Badge>Sending</Badge>;
  return <StatusBadge status={status} />;
}
