import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState, type ReactNode } from 'react';
import { useQuestion } from '../../api/queries.ts';
import type { SegmentPreview } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { PeoplePanel } from './people-panel.tsx';

/** How many people a condition has, probably, and a press away who they are. */
export function PeopleNumber({
  condition,
  title,
  fileName,
}: {
  readonly condition: Condition;
  readonly title: ReactNode;
  readonly fileName: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuestion<SegmentPreview>(
    'segments/preview',
    { condition },
    true,
  );
  if (data === undefined)
    return error === null ? (
      <span className="soft">Counting…</span>
    ) : (
      <Button isSmall kind="plain" onClick={() => void refetch()}>
        Count again
      </Button>
    );
  const { count, isExact } = data.estimate;
  const number = `${isExact ? '' : '≈ '}${formatCount(count)}`;
  return (
    <>
      <button type="button" className="number" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        {number}
      </button>
      {isOpen && (
        <PeoplePanel
          title={title}
          count={number}
          source={{ condition }}
          fileName={fileName}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
