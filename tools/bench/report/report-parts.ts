import { renderStoreSettings, type StoreSettings } from '../installation/store-settings.ts';
import { isMet, renderPart, type PartReport } from './figures.ts';
import { readCommit } from './commit.ts';
import type { machineFacts } from './machine.ts';
import { writeResults } from './write-results.ts';

export type BenchReport = {
  readonly name: string;
  readonly machine: ReturnType<typeof machineFacts>;
  readonly stores: StoreSettings;
  /** What else the figures depend on, such as sizes; one line each. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly isQuick: boolean;
  readonly reports: Readonly<Partial<Record<string, PartReport>>>;
};

/** Prints the results of a bench and writes them as JSON. */
export function reportParts({
  name,
  machine,
  stores,
  settings: own = {},
  isQuick,
  reports,
}: BenchReport): void {
  const settings = { Commit: readCommit(), ...own };
  const parts = Object.entries(reports).flatMap(([part, report]) =>
    report === undefined ? [] : [[part, report] as const],
  );
  for (const [, report] of parts) console.log(renderPart(report));
  console.log(
    `\n${machine.cores} cores, ${machine.processor}, Node ${machine.node}, load ${machine.loadAtStart.toFixed(1)} at the start${isQuick ? '; --quick: the figures mean nothing' : ''}`,
  );
  console.log(renderStoreSettings(stores));
  for (const [title, value] of Object.entries(settings)) console.log(`${title}: ${value}`);
  writeResults(name, {
    at: new Date().toISOString(),
    isQuick,
    machine,
    stores,
    settings,
    parts: Object.fromEntries(parts.map(([part, report]) => [part, withVerdicts(report)])),
  });
}

function withVerdicts({ title, figures, data }: PartReport): object {
  return { title, figures: figures.map((figure) => ({ ...figure, isMet: isMet(figure) })), data };
}
