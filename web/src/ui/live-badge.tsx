import { liveMode } from '../api/live.ts';
import { useStore } from '../lib/store.ts';

/** Whether what is shown changes by itself. */
export function LiveBadge() {
  const by = useStore(liveMode);
  if (by === 'nothing') return null;
  return (
    <span className={by === 'events' ? 'live on' : 'live'}>
      {by === 'events' ? 'Live' : 'Every 5 s'}
    </span>
  );
}
