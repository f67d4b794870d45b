import type { Channel } from '@tidings/contracts/channels/channels';
import { LRUCache } from 'lru-cache';
import { compileAccepted, type CompiledMessage } from '@tidings/liquid/compile-message';
import type { KeyedMessage } from './rendering/render-job.ts';

/** Null: the message does not compile, which was checked when it was accepted. */
type Compiled = CompiledMessage | null;

/**
 * Memory for parsed messages. A campaign may have much more of them: those are parsed anew for each
 * chunk, so that none takes the memory of the worker.
 */
const PARSED_BYTES_MAX = 64 * 1024 * 1024;

const messages = new LRUCache<string, { readonly compiled: Compiled }>({
  max: 1_000,
  maxSize: PARSED_BYTES_MAX,
});

/** Parses a message; one that has a key, once. */
export function compileOnce(channel: Channel, { key, message }: KeyedMessage): Compiled {
  const parsed = key === null ? undefined : messages.get(key);
  if (parsed !== undefined) return parsed.compiled;
  const compiled = compileAccepted(channel, message);
  if (key !== null) messages.set(key, { compiled }, { size: Math.max(1, compiled?.bytes ?? 0) });
  return compiled;
}
