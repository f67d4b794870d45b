export type Paint = (text: string) => string;
export type Palette = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>>;

export interface Progress {
  /** Prints a line of its own, without disturbing the steps that are running. */
  line(text: string): void;
  /** Runs `action` as a step: shown while it lasts, one line with its duration when it ends. `note` tells what it is doing. */
  step<T>(title: string, action: (note: (text: string) => void) => Promise<T>): Promise<T>;
}

export function palette(
  stream?: NodeJS.WriteStream,
  environment?: Readonly<Record<string, string | undefined>>,
): Palette;
export function createProgress(stream?: NodeJS.WriteStream): Progress;
