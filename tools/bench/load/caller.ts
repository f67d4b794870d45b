import { openConnection, type Connection } from './connection.ts';
import type { Target } from './plan.ts';
import { createRequestTemplate, type RequestTemplate } from './request-template.ts';

/** With mixed content, one request in this many changes a profile. */
const PROFILE_CHANGE_EVERY = 50;

/**
 * Sends the requests of one target sequentially over a connection, and reconnects when it has
 * ended.
 */
export interface Caller {
  /** Calls `done` with the response status, or 0. */
  call(sequence: number, done: (status: number) => void): void;
  close(): void;
}

/** Creates callers of one target. They share the templates, not the bytes. */
export function createCallers(target: Target): () => Caller {
  const { content } = target;
  const usual = createRequestTemplate(target, typeof content === 'object' ? content : 'events');
  const registration = createRequestTemplate(target, 'registration');
  const templateFor = (sequence: number): RequestTemplate => {
    if (content === 'registrations') return registration;
    return content === 'mixed' && sequence % PROFILE_CHANGE_EVERY === 0 ? registration : usual;
  };
  return () => {
    const copies = new Map<RequestTemplate, Buffer>();
    let connection: Connection | undefined;
    return {
      call(sequence, done) {
        if (connection?.isUsable() !== true) {
          connection?.close();
          connection = openConnection(target);
          // The ended connection may still hold bytes that would be overwritten.
          copies.clear();
        }
        const template = templateFor(sequence);
        const request = copies.get(template) ?? template.copy();
        copies.set(template, request);
        template.stamp(request, sequence);
        connection.send(request, done);
      },
      close: () => connection?.close(),
    };
  };
}
