import { UNREACHABLE_REASONS, type DeliveryReason } from '@tidings/contracts/push/deliveries';
import { Badge, StatusBadge } from './badge.tsx';

const UNREACHABLE = new Set<DeliveryReason | null>(UNREACHABLE_REASONS);

/** What became of a message. It is no failure of the channel where none was tried: so counts the report. */
export function DeliveryBadge({
  status,
  reason,
}: {
  readonly status: string;
  readonly reason: DeliveryReason | null;
}) {
  return status === 'failed' && UNREACHABLE.has(reason) ? (
    <Badge>Not reached</Badge>
  ) : (
    <StatusBadge status={status} />
  );
}
