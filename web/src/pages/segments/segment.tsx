import { Link, useParams } from '@tanstack/react-router';
import { httpStatus } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Person, Segment, SegmentVersion } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { DeleteSegment } from './delete-segment.tsx';
import { summarize, type Names } from '../../conditions/describe-condition.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { useSegmentFacts } from './use-segment-facts.ts';

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
  const read = useRead<Segment>(path);
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'condition';
  const back = <Link to="/segments">← Segments</Link>;
  if (httpStatus(read.error) === 404)
    return (
      <Page title="Segment not found" back={back}>
        <Card>
          <Empty title="There is no segment with this slug" icon="search">
            It was deleted, or belongs to another application.
          </Empty>
        </Card>
      </Page>
    );
  return (
    <Page
      title={read.data?.name ?? slug}
      back={back}
      description={<code className="wrap">{slug}</code>}
      actions={
        read.data && (
          <>
            <SendToSegment slug={slug} />
            <DeleteSegment segment={read.data} />
          </>
        )
      }
    >
      <Loaded read={read} lines={6}>
        {(segment) => (
          <>
            <Tabs tabs={TABS} active={tab} label="Segment sections" />
            {tab === 'condition' && (
              <SegmentEditor key={slug} segment={segment} onSaved={() => undefined} />
            )}
            {tab === 'members' && <Members path={path} slug={slug} />}
            {tab === 'versions' && <Versions path={path} />}
          </>
        )}
      </Loaded>
    </Page>
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
