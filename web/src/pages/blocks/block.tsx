import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import type { Block, BlockVersion } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { BlockEditor } from './block-editor.tsx';
import { BLOCK_VIEW } from './block-list.tsx';
import { DeleteBlock } from './delete-block.tsx';

const TABS = [
  { id: 'text', label: 'Text' },
  { id: 'versions', label: 'Versions' },
] as const;

export const BACK_TO_BLOCKS = (
  <Link to="/templates" search={{ show: BLOCK_VIEW } as never}>
    ← Blocks
  </Link>
);

export function BlockPage() {
  const { slug = '' } = useParams({ strict: false });
  const path = `blocks/${encodeURIComponent(slug)}`;
  const read = useRead<Block>(path);
  const [edition, setEdition] = useState(0);
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'text';
  const reload = async (): Promise<void> => {
    await read.refetch();
    setEdition((before) => before + 1);
  };
  if (httpStatus(read.error) === 404)
    return (
      <Page title="Block not found" back={BACK_TO_BLOCKS}>
        <Card>
          <Empty title="There is no block with this name" icon="search">
            It was deleted, or belongs to another application.
          </Empty>
        </Card>
      </Page>
    );
  return (
    <Page
      title={read.data?.name ?? slug}
      back={BACK_TO_BLOCKS}
      description={
        <span className="row">
          <code className="wrap">{slug}</code>
          {read.data && <span>Version {formatCount(read.data.version)}</span>}
        </span>
      }
      actions={read.data && <DeleteBlock block={read.data} />}
    >
      <Loaded read={read} lines={6}>
        {(block) => (
          <>
            <Tabs tabs={TABS} active={tab} label="Block sections" />
            {tab === 'text' && (
              <BlockEditor
                key={`${slug} ${edition}`}
                block={block}
                onSaved={() => undefined}
                onReload={() => void reload()}
              />
            )}
            {tab === 'versions' && <Versions path={path} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const VERSION_COLUMNS: readonly Column<BlockVersion>[] = [
  { name: 'Version', isNumber: true, width: '6rem', cell: ({ version }) => formatCount(version) },
  { name: 'Name', width: '12rem', cell: ({ name }) => <LongText text={name} /> },
  { name: 'Text', isMinor: true, cell: ({ html, text }) => <LongText text={text ?? html ?? ''} /> },
  { name: 'By', width: '12rem', cell: ({ createdBy }) => <LongText text={actorName(createdBy)} /> },
  timeColumn('At', ({ createdAt }) => createdAt),
];

function Versions({ path }: { readonly path: string }) {
  return (
    <Card isFlush>
      <List<BlockVersion>
        label="Versions"
        path={`${path}/versions`}
        columns={VERSION_COLUMNS}
        rowKey={({ version }) => String(version)}
        fileName={null}
        empty={<Empty title="No versions" />}
      />
    </Card>
  );
}
