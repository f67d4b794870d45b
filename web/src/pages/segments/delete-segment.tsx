import { useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Segment } from '../../api/types.ts';
import { DeleteUnused } from '../../conditions/delete-unused.tsx';
import { Button } from '../../ui/button.tsx';

export function DeleteSegment({ segment }: { readonly segment: Pick<Segment, 'slug' | 'name'> }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('changeSegments')) return null;
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && <DeleteUnused of="segments" named={segment} onClose={() => setOpen(false)} />}
    </>
  );
}
