import type { Run } from '../fault-row.ts';
import type { SentEntry } from '../load/ingest/batches.ts';
import { checkMessages } from '../oracles/ingest/messages.ts';
import { checkProfiles } from '../oracles/ingest/profiles.ts';
import { readStored } from '../oracles/ingest/stored.ts';
import type { TestApplication } from '../rigs/rig.ts';
import { report } from './row-frame.ts';

export type StoredMessagesOptions = {
  readonly applications: readonly TestApplication[];
  readonly entries: readonly SentEntry[];
  readonly prefix: string;
  /** Users per application. */
  readonly users: number;
};

/**
 * Stored once, nothing invented, and profiles, for everything sent. Returns the number of findings.
 */
export async function checkStoredMessages(
  { rig, violations }: Pick<Run, 'rig' | 'violations'>,
  { applications, entries, prefix, users }: StoredMessagesOptions,
): Promise<{ lost: number; twice: number; unexpected: number }> {
  const counts = { lost: 0, twice: 0, unexpected: 0 };
  for (const [application, { id }] of applications.entries()) {
    const own = entries.filter(({ batch }) => batch.application === application);
    const stored = await readStored(rig.db, id);
    const { lost, twice, unexpected } = checkMessages(own, stored);
    report({ violations }, 'stored once', [...lost, ...twice]);
    report({ violations }, 'nothing invented', unexpected);
    report({ violations }, 'profiles', checkProfiles(own, stored, { prefix, application, users }));
    counts.lost += lost.length;
    counts.twice += twice.length;
    counts.unexpected += unexpected.length;
  }
  return counts;
}
