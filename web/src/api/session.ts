import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { readSessionEndpoint } from '@tidings/api-spec/endpoints/session';
import { request } from './client.ts';
import { credentials, isSessionOver } from './credentials.ts';
import { httpStatus } from './problem.ts';
import { queryClient } from './query-client.ts';

type SessionAnswer = AnswerOf<typeof readSessionEndpoint>;
export type Setup = { readonly setup: boolean; readonly oidc: { readonly name: string } | null };

const KEY = ['session'];
const STORAGE_KEY = 'tidings.application';

/** The session; null if signed out. */
export function useSession() {
  return useQuery({ queryKey: KEY, queryFn: readSession, staleTime: Infinity });
}

async function readSession(): Promise<SessionAnswer | null> {
  try {
    const session = await request<SessionAnswer>('session');
    applySession(session);
    return session;
  } catch (error) {
    if (httpStatus(error) === 401) return null;
    throw error;
  }
}

/** Selects the application of the URL, else the last selected one, else the first. */
function applySession({ applications, csrfToken }: SessionAnswer): void {
  const named =
    new URLSearchParams(location.search).get('application') ?? localStorage.getItem(STORAGE_KEY);
  const chosen =
    applications.find(({ applicationId }) => applicationId === named) ?? applications[0];
  credentials.set({ applicationId: chosen?.applicationId ?? null, csrfToken });
}

export function chooseApplication(applicationId: string): void {
  localStorage.setItem(STORAGE_KEY, applicationId);
  credentials.set({ ...credentials.get(), applicationId });
}

/** After signing in: reads everything again, since it may have failed without a session. */
export async function startSession(): Promise<void> {
  const session = await readSession();
  isSessionOver.set(false);
  queryClient.setQueryData(KEY, session);
  await queryClient.invalidateQueries({ queryKey: ['api'] });
}

/** Reads the session again, for example after its applications changed. */
export async function refreshSession(): Promise<void> {
  queryClient.setQueryData(KEY, await readSession());
}

export async function endSession(): Promise<void> {
  await request('session', { method: 'DELETE' });
  queryClient.clear();
  queryClient.setQueryData(KEY, null);
  credentials.set({ applicationId: null, csrfToken: null });
}
