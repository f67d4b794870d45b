import { RenderPool } from './render-pool.ts';

/** The one of this process: no application has two of its threads. It starts none before it is used. */
export const renderPool = new RenderPool();
