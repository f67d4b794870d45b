import type { Webhook } from '../../api/types.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';

/** The state of an endpoint. An enabled endpoint that keeps failing shows since when. */
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
