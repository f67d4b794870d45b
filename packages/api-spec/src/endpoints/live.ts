import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';

/** Maximum topics per stream. */
export const TOPICS_MAX = 8;

const EXAMPLE = `retry: 1000

id: 1795256520000-1
event: campaign
data: {"topic":"campaign:01a1fda0-84a5-72c8-802b-8cdeabd134bc","data":{"campaignId":"01a1fda0-84a5-72c8-802b-8cdeabd134bc","status":"sending"}}

: still here

`;

export const liveEndpoint = endpoint({
  name: 'watchChanges',
  method: 'GET',
  path: 'live',
  access: 'reader',
  summary: 'Stream changes as server-sent events',
  description: [
    'Topics: `overview` (not with a Server key), `ingest` and `campaign:<id>`.',
    'The data of each event is `{"topic","data"}`. The first event of a topic is complete; later events contain changed fields only.',
    '',
    '| event | `data` |',
    '| --- | --- |',
    '| `overview` | the response of `GET overview` |',
    '| `campaign` | the response of `GET campaigns/{id}` without `message` |',
    '| `ingest` | `{"entries","isTruncated"}`: new log entries and entries with a new outcome, newest first; `isTruncated` when there were more |',
    '| `unavailable` | the topic cannot be read right now; the next event of the topic is complete |',
    '| `behind` | the last event of a stream that was read too slowly |',
    '',
    'A stream ends after about a minute: reconnect to get the current state.',
    '429 when the caller or the application has too many streams, or too many topics are watched.',
  ].join('\n'),
  query: Type.Object({
    topics: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'topics, separated by commas',
    }),
  }),
  answer: { status: 200, description: 'The stream.', texts: { 'text/event-stream': EXAMPLE } },
  errorStatuses: [404, 429],
});
