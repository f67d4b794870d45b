import type { ApiAccess, LocalFile } from '@tidings/local';
import type { Page } from 'playwright-core';
import type { LoadAccess, LoadedData } from './data/loaded.ts';

/** The installation with its data, as tasks prepare what they are about, and look at their effects. */
export type Scene = LoadAccess & {
  readonly local: LocalFile;
  readonly data: LoadedData;
  readonly sandbox: ApiAccess;
};

export type PreparedTask = {
  /** The page on which it begins, below `/dashboard`. Default: the overview. */
  readonly from?: string;
  /** What a person does. Resolves once the effect is seen. @throws if it is not */
  readonly perform: (page: Page) => Promise<void>;
};

/** What a person must be able to do in the dashboard, in few clicks. */
export type Task = {
  /** Begins with its number. */
  readonly name: string;
  readonly clicksMax: number;
  /** What takes the clicks above the limit; printed while it takes them. */
  readonly lacks?: string;
  readonly prepare: (scene: Scene) => Promise<PreparedTask>;
};
