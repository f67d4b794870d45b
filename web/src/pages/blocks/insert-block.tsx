import { useReadAll } from '../../api/queries.ts';
import type { Block } from '../../api/types.ts';
import { Menu } from '../../ui/menu.tsx';
import { toNamedOptions } from '../../ui/options.ts';

type Props = {
  readonly onInsert: (text: string) => void;
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
        items={toNamedOptions(blocks)}
        onChoose={(slug) => onInsert(`{% block "${slug}" %}`)}
      />
    </div>
  );
}
