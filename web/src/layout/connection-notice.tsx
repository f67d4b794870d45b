import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { unreachableSince } from '../api/credentials.ts';
import { useStore } from '../lib/store.ts';
import { Time } from '../ui/time.tsx';

const RETRY_MS = 4_000;

/** While the service does not respond: says so and retries. Reads everything again once it responds. */
export function ConnectionNotice() {
  const since = useStore(unreachableSince);
  const client = useQueryClient();
  const isLost = since !== null;
  useEffect(() => {
    if (!isLost) return;
    const ask = (): void => void client.refetchQueries({ type: 'active', queryKey: ['session'] });
    const timer = setInterval(ask, RETRY_MS);
    addEventListener('online', ask);
    return () => {
      clearInterval(timer);
      removeEventListener('online', ask);
      void client.invalidateQueries({ queryKey: ['api'] });
    };
  }, [isLost, client]);
  if (!isLost) return null;
  return (
    <div className="notice fading" role="alert">
      Connection lost since <Time at={since} />. Reconnecting… The data may be out of date.
    </div>
  );
}
