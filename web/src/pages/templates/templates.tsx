import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';

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

export function TemplatesPage() {
  const navigate = useNavigate();
  const create = useMay('changeTemplates') && (
    <Link to="/new-template" className={buttonClass('primary')}>
      New template
    </Link>
  );
  return (
    <Page title="Templates" isList actions={create}>
      <List<Template>
        label="Templates"
        path="templates"
        columns={COLUMNS}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/templates/$slug', params: { slug } })}
        isLined
        fileName="templates.csv"
        empty={
          <Empty title="No templates yet" icon="templates" action={create}>
            A template is a message of one channel with a name. It fills in values of each user,
            such as the first name, and keeps every version. Begin with a greeting:{' '}
            <code>{"Hello {{ user.firstName | default: 'there' }}"}</code>
          </Empty>
        }
      />
    </Page>
  );
}
