import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

/** Shown in place of the recipients once their retention has ended. */
export function RecipientsDeleted({ at }: { readonly at: number }) {
  return (
    <Empty title="Recipients deleted" icon="users">
      The retention of recipients and event log ended; they were deleted on <Time at={at} />. The
      figures of the report remain.
    </Empty>
  );
}
