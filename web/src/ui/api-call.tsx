import { credentials } from '../api/credentials.ts';
import { useStore } from '../lib/store.ts';
import { Code } from './code.tsx';

type ApiCallProps = {
  readonly method?: 'POST' | 'PUT';
  /** Below the origin: `/push`. */
  readonly path: string;
  /** JSON, as a shell takes it between single quotes. */
  readonly body: string;
};

/** A call of the API as a command, with the address and the application that are open. */
export function ApiCall({ method = 'POST', path, body }: ApiCallProps) {
  const { applicationId } = useStore(credentials);
  const command = [
    `curl ${method === 'POST' ? '' : `-X ${method} `}${location.origin}${path}`,
    `-H 'Content-Type: application/json'`,
    `-H 'X-Application-Id: ${applicationId ?? ''}'`,
    // What is kept is written by administrators, what is sent by back ends.
    method === 'PUT'
      ? `-H 'Authorization: Bearer <an administrator token>'`
      : `-H 'X-API-Key: <your Server key>'`,
    `-d '${body}'`,
  ].join(' \\\n  ');
  return <Code text={command} label="Command" />;
}

/** A user and an event, as a back end sends them. */
export const INGEST_CALL: ApiCallProps = {
  path: '/',
  body: `{
    "customUserId": "ada",
    "messages": [
      { "type": "user", "id": "'$(uuidgen)'", "time": '$(date +%s000)', "firstName": "Ada", "email": "ada@example.com" },
      { "type": "action", "id": "'$(uuidgen)'", "time": '$(date +%s000)', "customName": "first_step" }
    ]
  }`,
};
