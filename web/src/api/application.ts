import { useStore } from '../lib/store.ts';
import { credentials } from './credentials.ts';
import { useChange, useRead } from './queries.ts';
import type { Application } from './types.ts';

/** The selected application with its settings. */
export function useApplication() {
  const { applicationId } = useStore(credentials);
  return useRead<Application>(`applications/${applicationId ?? ''}`, {
    enabled: applicationId !== null,
  });
}

/** Changes the given settings of the selected application. Null resets a setting to its default. */
export function useSettingsChange() {
  const { applicationId } = useStore(credentials);
  return useChange<Readonly<Record<string, unknown>>, Application>(
    (settings) => ({
      path: `applications/${applicationId ?? ''}`,
      method: 'PATCH',
      body: { settings },
    }),
    ['applications'],
  );
}
