/** Aborts when this process is asked to end: by Ctrl-C, by a signal, or by the death of the one that started it. */
export function onStopRequest(): AbortSignal {
  const requested = new AbortController();
  const request = () => requested.abort(new Error('stopped'));
  // One Ctrl-C arrives several times, through the terminal and through npm; the drain is bounded by itself.
  process.on('SIGINT', request);
  process.on('SIGTERM', request);
  process.on('SIGHUP', request);
  process.on('disconnect', request);
  // A reader of our output that has gone is no reason to leave processes behind.
  process.stdout.on('error', request);
  process.stderr.on('error', request);
  return requested.signal;
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
