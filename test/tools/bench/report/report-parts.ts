import { renderStoreSettings, type StoreSettings } from '../installation/store-settings.ts';
import { isMet, renderPart, type PartReport } from './figures.ts';
import type { machineFacts } from './machine.ts';
import { writeResults } from './write-results.ts';

export type BenchReport = {
  readonly name: string;
  readonly machine: ReturnType<typeof machineFacts>;
  readonly stores: StoreSettings;
  readonly isQuick: boolean;
  readonly reports: Readonly<Partial<Record<string, PartReport>>>;
};

/** Prints the results of a bench and writes them as JSON. */
export function reportParts({ name, machine, stores, isQuick, reports }: BenchReport): void {
  const parts = Object.entries(reports).flatMap(([part, report]) =>
    report === undefined ? [] : [[part, report] as const],
  );
  for (const [, report] of parts) console.log(renderPart(report));
  console.log(
    `\n${machine.cores} cores, ${machine.processor}, Node ${machine.node}, load ${machine.loadAtStart.toFixed(1)} at the start${isQuick ? '; --quick: the figures mean nothing' : ''}`,
  );
  console.log(renderStoreSettings(stores));
  writeResults(name, {
    at: new Date().toISOString(),
    isQuick,
    machine,
    stores,
    parts: Object.fromEntries(parts.map(([part, report]) => [part, withVerdicts(report)])),
  });
}

function withVerdicts({ title, figures, data }: PartReport): object {
  return { title, figures: figures.map((figure) => ({ ...figure, isMet: isMet(figure) })), data };
}
