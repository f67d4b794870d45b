/** An abort signal that fires with an outer signal, or after a time without `renew`. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the time. */
  renew(): void;
  end(): void;
}

export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const abort = new AbortController();
  const ended = new AbortController();
  const onAbort = (): void => abort.abort();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onAbort, ms);
  };
  renew();
  outer?.addEventListener('abort', onAbort, { signal: ended.signal });
  if (outer?.aborted === true) onAbort();
  return {
    signal: abort.signal,
    renew,
    end() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}
