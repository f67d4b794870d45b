import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Block } from '../../api/types.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';

/** The view of the templates that lists blocks. */
export const BLOCK_VIEW = 'blocks';

const COLUMNS: readonly Column<Block>[] = [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <Link to="/templates/blocks/$slug" params={{ slug }} title={slug} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    name: 'Texts',
    width: '11rem',
    isMinor: true,
    cell: ({ html, text }) =>
      html === null ? 'Plain text' : text === null ? 'HTML' : 'HTML, plain text',
  },
  {
    name: 'Used by',
    width: '9rem',
    cell: ({ usedBy }) =>
      usedBy.length === 0 ? '–' : counted(usedBy.length, 'template', 'templates'),
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

/** Texts that templates share, by their API names. */
export function BlockList({ create }: { readonly create: ReactNode }) {
  const navigate = useNavigate();
  return (
    <List<Block>
      label="Blocks"
      path="blocks"
      columns={COLUMNS}
      rowKey={({ slug }) => slug}
      onOpen={({ slug }) => void navigate({ to: '/templates/blocks/$slug', params: { slug } })}
      isLined
      fileName="blocks.csv"
      empty={
        <Empty title="No blocks yet" icon="templates" action={create}>
          A block is a text that several templates share, such as a footer. Change it once, and
          every template that uses it has it from then on. A template names it:{' '}
          <code>{'{% block "footer" %}'}</code>
        </Empty>
      }
    />
  );
}
