/** Aborts when this process must stop: Ctrl-C, a signal, or the exit of its parent. */
export function onStopRequest(): AbortSignal {
  const requested = new AbortController();
  const request = () => requested.abort(new Error('stopped'));
  // One Ctrl-C arrives several times, through the terminal and npm; the drain has its own timeout.
  process.on('SIGINT', request);
  process.on('SIGTERM', request);
  process.on('SIGHUP', request);
  process.on('disconnect', request);
  // A program that is done ends, though it listens.
  process.channel?.unref();
  // If the reader of our output is gone, still stop all processes.
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
