import { UNREACHABLE_REASONS } from '@tidings/contracts/push/deliveries';
import { Badge, StatusBadge } from './badge.tsx';

const UNREACHABLE = new Set<string | null | undefined>(UNREACHABLE_REASONS);

/** What became of a message. It is no failure of the channel where none was tried: so counts the report. */
export function DeliveryBadge({
  status,
  reason,
}: {
  readonly status: string;
  readonly reason?: string | null | undefined;
}) {
  return status === 'failed' && UNREACHABLE.has(reason) ? (
    <Badge>Not reached</Badge>
  ) : (
    <StatusBadge status={status} />
  );
}
