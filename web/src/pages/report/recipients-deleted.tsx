import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

/** In place of what a campaign keeps of each recipient, once that is past its retention. */
export function RecipientsDeleted({ at }: { readonly at: number }) {
  return (
    <Empty title="No longer kept" icon="users">
      Recipients and event log are past their retention, and gone since <Time at={at} />. The
      numbers of the report stay.
    </Empty>
  );
}
