import { Link, useParams } from '@tanstack/react-router';
import type { Block, BlockVersion } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { BlockEditor } from './block-editor.tsx';
import { BLOCK_VIEW } from './block-list.tsx';
import { DeleteBlock } from './delete-block.tsx';
import { NamedPage } from '../../ui/named-page.tsx';

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
  return (
    <NamedPage<Block, (typeof TABS)[number]['id']>
      noun="block"
      slug={slug}
      path={path}
      back={BACK_TO_BLOCKS}
      tabs={TABS}
      describe={({ version }) => `Version ${formatCount(version)}`}
      actions={(block) => <DeleteBlock block={block} />}
    >
      {({ named, tab, edition, reload }) =>
        tab === 'text' ? (
          <BlockEditor
            key={`${slug} ${edition}`}
            block={named}
            onSaved={() => undefined}
            onReload={reload}
          />
        ) : (
          <Versions path={path} />
        )
      }
    </NamedPage>
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
