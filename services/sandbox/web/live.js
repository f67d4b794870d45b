/** Poll interval while the stream is down, and minimum interval between refreshes. */
const POLL_MS = 3_000;
const REST_MS = 400;

/**
 * Calls `refresh` at once, after each change reported by the stream, and at intervals while the
 * stream is down; never concurrently. Returns a function that requests a refresh.
 */
export function startLive(refresh, showState) {
  let isRunning = false;
  let isWanted = false;

  const look = async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      try {
        await refresh();
        if (stream.readyState === EventSource.OPEN) showState('live', 'Live');
      } catch {
        // The next poll shows whether the sandbox is back.
        showState('away', 'Not reachable');
      }
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    isRunning = false;
  };

  const stream = new EventSource('/api/messages/stream');
  stream.addEventListener('open', look);
  stream.addEventListener('change', look);
  stream.addEventListener('error', () => showState('away', 'Reconnecting'));
  setInterval(() => {
    if (stream.readyState !== EventSource.OPEN) void look();
  }, POLL_MS);
  void look();
  return look;
}
