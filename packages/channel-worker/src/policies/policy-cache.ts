import { getApplication } from '@tidings/accounts/applications';
import type { Channel } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';
import { resolvePolicies, type SendPolicies } from './send-policies.ts';

/** Caches the policies of applications for 5 seconds. */
export interface PolicyCache {
  of(applicationId: string): Promise<SendPolicies>;
}

const ENTRIES_MAX = 1_000;
const TTL_MS = 5_000;

export function createPolicyCache(db: Database, channel: Channel): PolicyCache {
  const policies = new LRUCache<string, SendPolicies>({ max: ENTRIES_MAX, ttl: TTL_MS });
  return {
    async of(applicationId) {
      const known = policies.get(applicationId);
      if (known !== undefined) return known;
      const current = resolvePolicies(
        channel,
        (await getApplication(db, applicationId))?.settings ?? {},
      );
      policies.set(applicationId, current);
      return current;
    },
  };
}
