import type { ListedChannel } from '../../api/types.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';

/** Whether a channel sends now: set up, proved, and nothing that holds it back. */
export function ChannelBadge({
  channel: { status, pause, breaker },
}: {
  readonly channel: ListedChannel;
}) {
  if (pause !== undefined) return <Badge tone="bad">Paused</Badge>;
  return breaker === undefined ? (
    <StatusBadge status={status} />
  ) : (
    <Badge tone="warn">Provider in trouble</Badge>
  );
}
