import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createStore, useStore } from '../lib/store.ts';
import { apiUrl } from './client.ts';
import { credentials } from './credentials.ts';
import { invalidate } from './queries.ts';

/** How changes come: told by the service, or asked for. */
export const liveBy = createStore<'nothing' | 'events' | 'polling'>('nothing');

const POLL_MS = 5_000;
const CONNECT_AGAIN_MS = 15_000;

type Watch = { readonly topic: string; readonly onChange: () => void };
const watches = new Set<Watch>();
let source: EventSource | null = null;
let openFor = '';
let pollTimer: ReturnType<typeof setInterval> | undefined;
let againTimer: ReturnType<typeof setTimeout> | undefined;
let isReconsidering = false;

const kindOf = (topic: string): string => topic.split(':')[0] ?? topic;
const tell = (kind?: string): void => {
  for (const { topic, onChange } of watches)
    if (kind === undefined || kindOf(topic) === kind) onChange();
};

function poll(isOn: boolean): void {
  clearInterval(pollTimer);
  pollTimer = isOn
    ? setInterval(() => document.visibilityState === 'visible' && tell(), POLL_MS)
    : undefined;
}

function close(): void {
  source?.close();
  source = null;
  openFor = '';
  clearTimeout(againTimer);
  poll(false);
  liveBy.set('nothing');
}

/** One connection for all that is watched, since browsers open only a few to one host. */
function reconsider(): void {
  isReconsidering = false;
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
  const mine = new EventSource(url);
  source = mine;
  // Until it stands, and whenever it does not: ask.
  poll(true);
  liveBy.set('polling');
  mine.addEventListener('open', () => {
    poll(false);
    liveBy.set('events');
    // What happened while nobody listened.
    tell();
  });
  mine.addEventListener('error', () => {
    poll(true);
    liveBy.set('polling');
    if (mine.readyState !== EventSource.CLOSED) return;
    // The browser has given up, as it does when it is refused.
    clearTimeout(againTimer);
    againTimer = setTimeout(() => {
      if (source === mine && openFor === url) connect(url, topics);
    }, CONNECT_AGAIN_MS);
  });
  // Events have the name of the topic's kind: of `campaign:<id>` that is `campaign`.
  for (const kind of new Set(topics.map(kindOf))) mine.addEventListener(kind, () => tell(kind));
  mine.addEventListener('message', () => tell());
}

function watch(entry: Watch): () => void {
  const change = (): void => {
    if (isReconsidering) return;
    isReconsidering = true;
    // A page that goes and a page that comes are one change.
    queueMicrotask(reconsider);
  };
  watches.add(entry);
  change();
  return () => {
    watches.delete(entry);
    change();
  };
}

/** While the page is shown, whatever is below `paths` is read again when the service tells that `topic` changed. */
export function useLive(topic: string, paths: readonly string[], isOn = true): void {
  const client = useQueryClient();
  const { applicationId } = useStore(credentials);
  const joined = paths.join(' ');
  useEffect(() => {
    if (!isOn || applicationId === null) return;
    return watch({ topic, onChange: () => void invalidate(client, joined.split(' '), true) });
  }, [client, topic, joined, isOn, applicationId]);
}
