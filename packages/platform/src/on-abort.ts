type Listener = { readonly tell: () => void; place: number; isOff: boolean };

const listenersOf = new WeakMap<AbortSignal, Listener[]>();

/**
 * Calls `tell`, which must not throw, once when `signal` aborts, at once where it has; what it returns calls that off. For signals that outlive
 * thousands of listeners: an event target leaves a listener that it removed linked to those that came after it, so that
 * one that has grown old keeps all of them, with what they hold, until the old part of the heap is collected.
 */
export function onAbort(signal: AbortSignal, tell: () => void): () => void {
  if (signal.aborted) {
    tell();
    return () => undefined;
  }
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const own: Listener = { tell, place: listeners.length, isOff: false };
  listeners.push(own);
  return () => {
    own.isOff = true;
    if (listeners[own.place] !== own) return;
    // The last takes its place.
    const last = listeners.pop();
    if (last === undefined || last === own) return;
    last.place = own.place;
    listeners[own.place] = last;
  };
}

function listenTo(signal: AbortSignal): Listener[] {
  const listeners: Listener[] = [];
  listenersOf.set(signal, listeners);
  signal.addEventListener(
    'abort',
    () => {
      // One may call another off that was not told yet.
      for (const listener of listeners.splice(0)) if (!listener.isOff) listener.tell();
    },
    { once: true },
  );
  return listeners;
}
