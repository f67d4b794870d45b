import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { request } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import type { SegmentCount } from '../../api/types.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useSegments } from './use-segments.ts';

/** Counted without being asked when a page opens. Each reads the events of its windows. */
const UNASKED_MAX = 10;

/** Counts segments one after another: those without a count when the page opens, all of them by a press. */
export function CountSegments() {
  const client = useQueryClient();
  const segments = useSegments()?.items;
  const [progress, setProgress] = useState<{ readonly at: number; readonly of: number }>();
  const hasBegun = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const count = async (slugs: readonly string[], isAsked: boolean): Promise<void> => {
    let failed = 0;
    for (const [index, slug] of slugs.entries()) {
      if (isGone.current) return;
      setProgress({ at: index + 1, of: slugs.length });
      try {
        // One at a time: they wait in the same queue as the counts of others.
        // oxlint-disable-next-line no-await-in-loop
        await request<SegmentCount>(`segments/${encodeURIComponent(slug)}/count`);
      } catch {
        failed += 1;
      }
      // oxlint-disable-next-line no-await-in-loop
      await invalidate(client, ['segments']);
    }
    setProgress(undefined);
    if (failed > 0 && isAsked)
      showToast(`${counted(failed, 'segment', 'segments')} could not be counted. Try again later.`);
  };
  useEffect(() => {
    if (segments === undefined || hasBegun.current) return;
    hasBegun.current = true;
    const unknown = segments.filter(({ lastCount }) => lastCount === null);
    void count(
      unknown.slice(0, UNASKED_MAX).map(({ slug }) => slug),
      false,
    );
    // Once, when they are known.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [segments]);

  if (segments === undefined || segments.length === 0) return null;
  return (
    <Button
      isBusy={progress !== undefined}
      onClick={() =>
        void count(
          segments.map(({ slug }) => slug),
          true,
        )
      }
    >
      {progress === undefined
        ? 'Count again'
        : `Counting ${formatCount(progress.at)} of ${formatCount(progress.of)}`}
    </Button>
  );
}
