/** Metrics of a service's process. */
export type ProcessFigures = { readonly cpuSeconds: number; readonly residentBytes: number };

/** @throws if the service does not respond or lacks a metric */
export async function readProcess(metricsUrl: string): Promise<ProcessFigures> {
  const text = await (await fetch(metricsUrl)).text();
  return {
    cpuSeconds: readValue(text, 'process_cpu_seconds_total'),
    residentBytes: readValue(text, 'process_resident_memory_bytes'),
  };
}

function readValue(text: string, metric: string): number {
  const [, value] = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`no metric ${metric}`);
  return Number(value);
}
