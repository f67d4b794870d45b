import type { Tidings } from '@tidings/local';
import { addApplication } from '../../stack/share-tidings.ts';

/** An installation with a process for each service, which tests may kill. */
export type Services = Pick<Tidings, 'local' | 'supervisor'> & { readonly home: string };

/** Sends of a worker at a time, at most: as many are ambiguous after its kill. */
export const SEND_CONCURRENCY = 20;

/** The installation with an application of its own, whose channels are connected to the sandbox. */
export async function useApplication(services: Services, name: string): Promise<Services> {
  return { ...services, local: await addApplication(services, name) };
}
