import { useReadAll } from '../../api/queries.ts';
import type { Block } from '../../api/types.ts';
import { Menu } from '../../ui/menu.tsx';

type Props = {
  /** Inserts a text; the part from `from` to `to` is chosen then. */
  readonly onInsert: (text: string, from: number, to: number) => void;
};

/** Inserts the tag of a block at the cursor. Without blocks there is nothing to insert. */
export function InsertBlock({ onInsert }: Props) {
  const { data: blocks = [] } = useReadAll<Block>('blocks', {});
  if (blocks.length === 0) return null;
  return (
    <div className="row">
      <Menu
        className="small"
        label="Insert block"
        items={blocks.map(({ slug, name }) => ({ value: slug, label: name }))}
        onChoose={(slug) => {
          const tag = `{% block "${slug}" %}`;
          onInsert(tag, tag.length, tag.length);
        }}
      />
    </div>
  );
}
