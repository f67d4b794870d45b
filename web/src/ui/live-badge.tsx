import { liveMode } from '../api/live.ts';
import { useStore } from '../lib/store.ts';

/** Says how the page updates itself: live, or by polling. */
export function LiveBadge() {
  const mode = useStore(liveMode);
  if (mode === 'off') return null;
  return (
    <span className={mode === 'events' ? 'live on' : 'live'}>
      {mode === 'events' ? 'Live' : 'Updates every 5 s'}
    </span>
  );
}
