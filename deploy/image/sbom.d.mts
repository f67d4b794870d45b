export type Component = {
  readonly 'bom-ref': string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly externalReferences?: readonly {
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
};
export type Sbom = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
};
export const SBOM_FILE: string;
export function writeSbom(root: string, askPnpm: (args: readonly string[]) => string): void;
