/** A signal that is aborted by another one, or when nothing has been heard for so long. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Something was heard. */
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
