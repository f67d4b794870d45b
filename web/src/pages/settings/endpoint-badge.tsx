import type { Webhook } from '../../api/types.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';

/** An endpoint that is enabled and fails is not well: it says since when. */
export function EndpointBadge({
  webhook: { status, failingSince },
}: {
  readonly webhook: Pick<Webhook, 'status' | 'failingSince'>;
}) {
  if (status !== 'enabled' || failingSince === null) return <StatusBadge status={status} />;
  return (
    <Badge tone="bad">
      <span>
        Failing since <Time at={failingSince} />
      </span>
    </Badge>
  );
}
