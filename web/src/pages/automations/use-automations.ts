import { useReadAll } from '../../api/queries.ts';
import type { ListedAutomation } from '../../api/types.ts';

/** All automations of the application; the service bounds them. */
export const useAutomations = (enabled = true) =>
  useReadAll<ListedAutomation>('automations', { enabled });
