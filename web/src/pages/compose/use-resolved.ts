import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { credentials } from '../../api/credentials.ts';
import { useStore } from '../../lib/store.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { isContact, readRecipients, type AudienceChoice } from './audience.ts';

const TYPING_MS = 500;
/** Texts of one request; the service takes no more. */
const TEXTS_MAX = 1_000;

type Resolved = ReadonlyMap<string, readonly string[]>;

/** Whose the e-mail addresses and phone numbers among listed people are. Ids are taken as they are. */
export type ResolvedPeople = {
  /** Each text as it is written, with the user whom it means, or itself. */
  readonly ids: readonly string[];
  /** Addresses that no registered user has. */
  readonly unknown: readonly string[];
  /** Addresses of several users, whose ids stand beside them. */
  readonly several: readonly (readonly [text: string, customUserIds: readonly string[]])[];
  readonly isAsking: boolean;
  readonly error: Error | null;
  readonly refetch: () => void;
};

export function useResolved({
  to,
  recipients,
}: Pick<AudienceChoice, 'to' | 'recipients'>): ResolvedPeople {
  const texts = to === 'users' ? readRecipients(recipients) : [];
  const contacts = texts.filter(isContact);
  const asked = contacts.join('\n');
  const settled = useSettled(asked, TYPING_MS);
  const { applicationId } = useStore(credentials);
  const { data, error, refetch } = useQuery({
    queryKey: ['api', applicationId, 'users', 'resolve', settled],
    queryFn: ({ signal }) => resolveTexts(settled.split('\n'), signal),
    enabled: settled !== '',
    // Users come and go.
    gcTime: 0,
  });
  const isCurrent = settled === asked;
  const known = isCurrent && asked !== '' ? data : undefined;
  return {
    ...matchTexts(texts, known ?? new Map()),
    isAsking: contacts.length > 0 && known === undefined && (!isCurrent || error === null),
    error: isCurrent && contacts.length > 0 ? error : null,
    refetch: () => void refetch(),
  };
}

/** What is missing before listed people can be sent to. */
export function listMissingPeople({
  ids,
  unknown,
  several,
  isAsking,
  error,
}: ResolvedPeople): readonly string[] {
  if (isAsking || error !== null) return ['the users of the listed addresses'];
  if (several.length > 0) return ['whom you mean by an address of several people'];
  return ids.length === 0 && unknown.length > 0 ? ['people who are registered'] : [];
}

async function resolveTexts(texts: readonly string[], signal: AbortSignal): Promise<Resolved> {
  const found = new Map<string, readonly string[]>();
  for (let start = 0; start < texts.length; start += TEXTS_MAX) {
    const { items } = await request<{
      readonly items: readonly {
        readonly text: string;
        readonly customUserIds: readonly string[];
      }[];
    }>('users/resolve', {
      method: 'POST',
      body: { texts: texts.slice(start, start + TEXTS_MAX) },
      signal,
    });
    for (const { text, customUserIds } of items) found.set(text, customUserIds);
  }
  return found;
}

/** The users of texts, once; and the addresses of none and of several. */
export function matchTexts(
  texts: readonly string[],
  found: Resolved,
): Pick<ResolvedPeople, 'ids' | 'unknown' | 'several'> {
  const matches = texts.map((text) => [text, found.get(text)] as const);
  return {
    ids: [
      ...new Set(
        matches.flatMap(([text, users]) => {
          if (users === undefined) return [text];
          return users.length === 1 ? users : [];
        }),
      ),
    ],
    unknown: matches.filter(([, users]) => users?.length === 0).map(([text]) => text),
    several: matches.flatMap(([text, users]) =>
      users !== undefined && users.length > 1 ? [[text, users] as const] : [],
    ),
  };
}
