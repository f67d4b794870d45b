/** What the bench of a checkout can do, from the usage that it prints. */
export type BenchUsage = {
  hasPart(bench: string, part: string): boolean;
  hasOption(option: string): boolean;
};

/** Versions of before lack parts and options, and print the same form of usage. */
export function readUsage(usage: string): BenchUsage {
  return {
    hasPart: (bench, part) => {
      const [, parts = ''] = new RegExp(`-- ${bench} \\[([^\\]]*)\\]`).exec(usage) ?? [];
      return parts.split(/[| ]/).includes(part);
    },
    hasOption: (option) => usage.includes(`[${option}`) || usage.includes(` ${option} `),
  };
}
