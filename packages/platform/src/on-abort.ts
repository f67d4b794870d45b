type Listener = { readonly callback: () => void; index: number; isRemoved: boolean };

const listenersOf = new WeakMap<AbortSignal, Listener[]>();

/**
 * Calls `callback` once when `signal` aborts, or at once if it already has. `callback` must not throw. The
 * returned function removes the listener.
 * For signals that outlive thousands of listeners: V8 keeps removed listeners of an event target
 * linked, so one old listener keeps all later ones alive until old-space GC.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const own: Listener = { callback, index: listeners.length, isRemoved: false };
  listeners.push(own);
  return () => {
    own.isRemoved = true;
    if (listeners[own.index] !== own) return;
    // The last listener takes its position.
    const last = listeners.pop();
    if (last === undefined || last === own) return;
    last.index = own.index;
    listeners[own.index] = last;
  };
}

function listenTo(signal: AbortSignal): Listener[] {
  const listeners: Listener[] = [];
  listenersOf.set(signal, listeners);
  signal.addEventListener(
    'abort',
    () => {
      // A listener may remove another one that was not called yet.
      for (const listener of listeners.splice(0)) if (!listener.isRemoved) listener.callback();
    },
    { once: true },
  );
  return listeners;
}
