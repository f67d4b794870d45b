import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';
import { Views } from '../../ui/views.tsx';
import { BLOCK_VIEW, BlockList } from '../blocks/block-list.tsx';

const COLUMNS: readonly Column<Template>[] = [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <Link to="/templates/$slug" params={{ slug }} title={slug} dir="auto">
        {name}
      </Link>
    ),
  },
  { name: 'Channel', width: '7rem', cell: ({ channel }) => channelName(channel) },
  {
    name: 'Variants',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: ({ variants }) => (variants.length === 0 ? '–' : formatCount(variants.length)),
  },
  {
    name: 'Version',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: ({ version }) => formatCount(version),
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

const VIEWS = [
  { value: '', label: 'Templates' },
  { value: BLOCK_VIEW, label: 'Blocks' },
] as const;

export function TemplatesPage() {
  const navigate = useNavigate();
  const filters = useFilters(['show']);
  const isBlocks = filters.get('show') === BLOCK_VIEW;
  const create = useMay('changeTemplates') && (
    <Link to={isBlocks ? '/new-block' : '/new-template'} className={buttonClass('primary')}>
      {isBlocks ? 'New block' : 'New template'}
    </Link>
  );
  return (
    <Page title="Templates" isList actions={create}>
      <FilterBar>
        <Views label="Shown" views={VIEWS} {...filters.field('show')} />
      </FilterBar>
      {isBlocks ? (
        <BlockList create={create} />
      ) : (
        <List<Template>
          label="Templates"
          path="templates"
          columns={COLUMNS}
          rowKey={({ slug }) => slug}
          onOpen={({ slug }) => void navigate({ to: '/templates/$slug', params: { slug } })}
          isLined
          fileName="templates.csv"
          empty={
            <FirstEmpty
              title="No templates yet"
              action={create}
              ghost={[
                ['Welcome', 'E-mail', 'version 3', '2 h'],
                ['Your order is on its way', 'SMS', 'version 1', 'Nov 26'],
                ['Spring sale', 'Web push', 'version 7', 'Nov 21'],
              ]}
              call={{
                method: 'PUT',
                path: '/api/v1/templates/welcome',
                body: `{
    "name": "Welcome",
    "channel": "EMAIL",
    "message": { "title": "Hello", "body": "Hello {{ user.firstName | default: \\"there\\" }}" }
  }`,
              }}
            >
              A template is a message of one channel with a name. It fills in values of each user,
              such as the first name, and keeps every version. Begin with a greeting:{' '}
              <code>{"Hello {{ user.firstName | default: 'there' }}"}</code>
            </FirstEmpty>
          }
        />
      )}
    </Page>
  );
}
