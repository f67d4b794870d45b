import type { ListedChannel } from '../../api/types.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';

/** Whether a channel, or one of its accounts, can send now. */
export function ChannelBadge({
  channel: { status, pause, breaker },
}: {
  readonly channel: Pick<ListedChannel, 'breaker' | 'pause' | 'status'>;
}) {
  if (pause !== undefined) return <Badge tone="bad">Paused</Badge>;
  return breaker === undefined ? (
    <StatusBadge status={status} />
  ) : (
    <Badge tone="warn">Provider issues</Badge>
  );
}
