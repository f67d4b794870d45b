import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createStore, useStore } from '../lib/store.ts';
import { apiUrl } from './client.ts';
import { credentials } from './credentials.ts';
import { invalidate } from './queries.ts';

/** How pages learn of changes: by server-sent events, by polling, or not at all. */
export const liveMode = createStore<'off' | 'events' | 'polling'>('off');

const POLL_MS = 5_000;
const RECONNECT_MS = 15_000;

type Watch = { readonly topic: string; readonly onChange: () => void };
const watches = new Set<Watch>();
let source: EventSource | null = null;
let openFor = '';
let pollTimer: ReturnType<typeof setInterval> | undefined;
let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
let isUpdateScheduled = false;

const topicKind = (topic: string): string => topic.split(':')[0] ?? topic;
const notify = (kind?: string): void => {
  for (const { topic, onChange } of watches)
    if (kind === undefined || topicKind(topic) === kind) onChange();
};

function poll(isOn: boolean): void {
  clearInterval(pollTimer);
  pollTimer = isOn
    ? setInterval(() => document.visibilityState === 'visible' && notify(), POLL_MS)
    : undefined;
}

function close(): void {
  source?.close();
  source = null;
  openFor = '';
  clearTimeout(reconnectTimer);
  poll(false);
  liveMode.set('off');
}

/** Opens one connection for all watched topics: browsers limit the connections to one host. */
function updateConnection(): void {
  isUpdateScheduled = false;
  const topics = [...new Set([...watches].map(({ topic }) => topic))].toSorted();
  const { applicationId } = credentials.get();
  const wanted =
    topics.length === 0 || applicationId === null
      ? ''
      : apiUrl('live', { topics: topics.join(','), applicationId });
  if (wanted === openFor) return;
  close();
  if (wanted !== '') connect(wanted, topics);
}

function connect(url: string, topics: readonly string[]): void {
  openFor = url;
  const opened = new EventSource(url);
  source = opened;
  // Poll until the connection is open, and whenever it is lost.
  poll(true);
  liveMode.set('polling');
  opened.addEventListener('open', () => {
    poll(false);
    liveMode.set('events');
    // Read again: changes may have been missed while the connection was closed.
    notify();
  });
  opened.addEventListener('error', () => {
    poll(true);
    liveMode.set('polling');
    if (opened.readyState !== EventSource.CLOSED) return;
    // The browser does not reconnect after an error status.
    clearTimeout(reconnectTimer);
    reconnectTimer = setTimeout(() => {
      if (source === opened && openFor === url) connect(url, topics);
    }, RECONNECT_MS);
  });
  // An event has the name of its topic's kind: `campaign` for the topic `campaign:<id>`.
  for (const kind of new Set(topics.map(topicKind)))
    opened.addEventListener(kind, () => notify(kind));
  opened.addEventListener('message', () => notify());
}

function watch(entry: Watch): () => void {
  const change = (): void => {
    if (isUpdateScheduled) return;
    isUpdateScheduled = true;
    // Leaving one page and opening the next count as one change.
    queueMicrotask(updateConnection);
  };
  watches.add(entry);
  change();
  return () => {
    watches.delete(entry);
    change();
  };
}

/** While mounted, reads everything below `paths` again each time the service reports a change of `topic`. */
export function useLive(topic: string, paths: readonly string[], isOn = true): void {
  const client = useQueryClient();
  const { applicationId } = useStore(credentials);
  const joined = paths.join(' ');
  useEffect(() => {
    if (!isOn || applicationId === null) return;
    return watch({ topic, onChange: () => void invalidate(client, joined.split(' '), true) });
  }, [client, topic, joined, isOn, applicationId]);
}
