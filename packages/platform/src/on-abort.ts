type Listener = { readonly tell: () => void; place: number; isOff: boolean };

const listenersOf = new WeakMap<AbortSignal, Listener[]>();

/**
 * Calls `tell` once when `signal` aborts, or at once if it already has. `tell` must not throw. The
 * returned function removes the listener.
 * For signals that outlive thousands of listeners: V8 keeps removed listeners of an event target
 * linked, so one old listener keeps all later ones alive until old-space GC.
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
    // The last listener takes its position.
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
      // A listener may remove another one that was not called yet.
      for (const listener of listeners.splice(0)) if (!listener.isOff) listener.tell();
    },
    { once: true },
  );
  return listeners;
}
