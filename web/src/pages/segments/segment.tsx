import { Link, useParams } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { Person, Segment, SegmentVersion } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { DeleteSegment } from './delete-segment.tsx';
import { summarize, type Names } from '../../conditions/describe-condition.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { useSegmentFacts } from './use-segment-facts.ts';
import { NamedPage } from '../../ui/named-page.tsx';

const TABS = [
  { id: 'condition', label: 'Condition' },
  { id: 'members', label: 'Members' },
  { id: 'versions', label: 'Versions' },
] as const;

const textCell = (text: string | null) =>
  text === null ? <span className="soft">–</span> : <LongText text={text} />;
const nameCell = (...names: readonly (string | null)[]) =>
  textCell(names.filter(Boolean).join(' ') || null);

const MEMBER_COLUMNS: readonly Column<Person>[] = [
  { name: 'User', cell: ({ customUserId }) => <UserLink customUserId={customUserId} /> },
  { name: 'Name', cell: ({ firstName, lastName }) => nameCell(firstName, lastName) },
  { name: 'E-mail', cell: ({ email }) => textCell(email) },
  {
    name: 'Phone',
    isMinor: true,
    width: '11rem',
    cell: ({ phoneNumber }) => textCell(phoneNumber),
  },
];

export function SegmentPage() {
  const { slug = '' } = useParams({ strict: false });
  const path = `segments/${encodeURIComponent(slug)}`;
  return (
    <NamedPage<Segment, (typeof TABS)[number]['id']>
      noun="segment"
      slug={slug}
      path={path}
      back={<Link to="/segments">← Segments</Link>}
      tabs={TABS}
      actions={(segment) => (
        <>
          <SendToSegment slug={slug} />
          <DeleteSegment segment={segment} />
        </>
      )}
    >
      {({ named, tab }) =>
        tab === 'condition' ? (
          <SegmentEditor key={slug} segment={named} onSaved={() => undefined} />
        ) : tab === 'members' ? (
          <Members path={path} slug={slug} />
        ) : (
          <Versions path={path} />
        )
      }
    </NamedPage>
  );
}

function Members({ path, slug }: { readonly path: string; readonly slug: string }) {
  const mayExport = useMay('exportUsers');
  return (
    <Card isFlush>
      <List<Person>
        label="Members"
        path={`${path}/users`}
        columns={MEMBER_COLUMNS}
        rowKey={({ customUserId }) => customUserId}
        fileName={mayExport ? `segment-${slug}.csv` : null}
        empty={
          <Empty title="Nobody satisfies the condition now" icon="users">
            Users enter and leave as their profiles and events change.
          </Empty>
        }
      />
    </Card>
  );
}

const versionColumns = (names: Names): readonly Column<SegmentVersion>[] => [
  { name: 'Version', isNumber: true, width: '6rem', cell: ({ version }) => formatCount(version) },
  { name: 'Name', cell: ({ name }) => <LongText text={name} /> },
  {
    name: 'Members',
    cell: ({ condition }) => <LongText text={summarize(condition, names)} />,
  },
  { name: 'By', width: '12rem', cell: ({ createdBy }) => <LongText text={actorName(createdBy)} /> },
  timeColumn('At', ({ createdAt }) => createdAt),
];

function Versions({ path }: { readonly path: string }) {
  const { names } = useSegmentFacts();
  return (
    <Card isFlush>
      <List<SegmentVersion>
        label="Versions"
        path={`${path}/versions`}
        columns={versionColumns(names)}
        rowKey={({ version }) => String(version)}
        fileName={null}
        empty={<Empty title="No versions" />}
      />
    </Card>
  );
}

function SendToSegment({ slug }: { readonly slug: string }) {
  if (!useMay('compose')) return null;
  return (
    <Link to="/compose" search={{ segment: slug }} className={buttonClass()}>
      Send to it
    </Link>
  );
}
