import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';

const COLUMNS: readonly Column<Template>[] = [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <>
        <strong>
          <Link to="/templates/$slug" params={{ slug }} {...clampProps(name)}>
            {name}
          </Link>
        </strong>
        <div className="soft small wrap">
          <code className="wrap">{slug}</code>
        </div>
      </>
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
  timeColumn('Changed', ({ updatedAt }) => updatedAt),
];

export function TemplatesPage() {
  const navigate = useNavigate();
  const create = useMay('changeTemplates') && (
    <Link to="/new-template" className={buttonClass('primary')}>
      New template
    </Link>
  );
  return (
    <Page
      title="Templates"
      description="Messages with a name, to send again and again, with the values of each user in them."
      actions={create}
    >
      <Card isFlush>
        <List<Template>
          label="Templates"
          path="templates"
          columns={COLUMNS}
          rowKey={({ slug }) => slug}
          onOpen={({ slug }) => void navigate({ to: '/templates/$slug', params: { slug } })}
          fileName="templates.csv"
          empty={
            <Empty title="No templates yet" icon="templates" action={create}>
              A template is a message of one channel with a name. It fills in values of each user,
              such as the first name, and keeps every version. Begin with a greeting:{' '}
              <code>{"Hello {{ user.firstName | default: 'there' }}"}</code>
            </Empty>
          }
        />
      </Card>
    </Page>
  );
}
