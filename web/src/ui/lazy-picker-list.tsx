import { lazy, Suspense, useEffect, type ComponentProps } from 'react';

const loadList = async () => ({ default: (await import('./picker-list.tsx')).PickerList });
const Loaded = lazy(loadList);

/** The list of a picker, which is loaded when a press will soon need it. */
export function LazyPickerList(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={<p className="soft picker-note">Loading…</p>}>
      <Loaded {...props} />
    </Suspense>
  );
}

/** Loads the list once the page has nothing else to do. */
export function useIdleLoad(): void {
  useEffect(() => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback !== 'function') return undefined;
    const handle = requestIdleCallback(() => void loadList());
    return () => cancelIdleCallback(handle);
  }, []);
}
