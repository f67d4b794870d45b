import { CHANNELS } from '@tidings/contracts/channels/channels';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { ListedDraft } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { channelName } from '../../labels/channel-name.ts';
import { counted } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';

/** The view of the campaigns that lists drafts. */
export const DRAFT_VIEW = 'draft';

const COLUMNS: readonly Column<ListedDraft>[] = [
  {
    name: 'Draft',
    cell: ({ draftId, name, title }) => (
      <Link to="/compose" search={{ draft: draftId } as never} className="strong wrap" dir="auto">
        {name ?? title ?? 'Without a name'}
      </Link>
    ),
  },
  {
    name: 'Channel',
    width: '7.5rem',
    isMinor: true,
    cell: ({ channel }) => nameOfChannel(channel),
  },
  {
    name: 'Audience',
    width: '12rem',
    isMinor: true,
    cell: (draft) => <bdi>{audienceOf(draft)}</bdi>,
  },
  {
    name: 'Changed by',
    width: '14rem',
    isMinor: true,
    cell: ({ updatedBy }) => (
      <bdi>{updatedBy === 'deletion' ? 'A deleted user was removed' : actorName(updatedBy)}</bdi>
    ),
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

/** Another program may have written any text there. */
function nameOfChannel(written: string | null): string {
  const channel = CHANNELS.find((each) => each === written);
  return channel === undefined ? '–' : channelName(channel);
}

function audienceOf({ segment, recipients }: ListedDraft): string {
  if (segment !== null && segment !== '') return segment;
  return recipients === null || recipients === 0 ? '–' : counted(recipients, 'person', 'people');
}

/** Campaigns that are being written, the last changed first. */
export function DraftList() {
  const navigate = useNavigate();
  const mayCompose = useMay('compose');
  return (
    <List<ListedDraft>
      label="Drafts"
      path="drafts"
      columns={COLUMNS}
      rowKey={({ draftId }) => draftId}
      onOpen={({ draftId }) =>
        void navigate({ to: '/compose', search: { draft: draftId } as never })
      }
      isLined
      fileName="drafts.csv"
      empty={
        <Empty
          title="No drafts"
          icon="compose"
          action={
            mayCompose && (
              <Link to="/compose" className={buttonClass('primary')}>
                New campaign
              </Link>
            )
          }
        >
          What is written and not sent is kept here, for all members, until 90 days after its last
          change.
        </Empty>
      }
    />
  );
}
