import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';

/** Topics of one stream at most. */
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
  summary: 'What changes, as server-sent events',
  description:
    '`topics` are named with commas between them: `overview` (not with a Server key), `ingest`, `campaign:<id>`. Each is told whole at first, then the fields that changed: `data` is `{"topic","data"}`, where `data` is what `GET overview` answers, or `GET campaigns/{id}` but for the message, or `{"entries","isTruncated"}` of the ingest log, newest first: entries that are new or have another outcome, `isTruncated` when there were more than are told. `unavailable` says that a topic cannot be read just now; then it is told whole again. `behind` is the last event of a stream that was read too slowly. A stream ends after a minute or so; who comes again is told how it is. 429 when the caller or the application has too many streams, or too many topics are watched.',
  query: Type.Object({
    topics: Type.String({ minLength: 1, maxLength: 500, description: 'names of topics' }),
  }),
  answer: { status: 200, description: 'A stream.', texts: { 'text/event-stream': EXAMPLE } },
  errorStatuses: [404, 429],
});
