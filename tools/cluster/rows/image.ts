import { buildImage } from '../images.ts';
import type { Row } from '../row.ts';

export const image: Row = {
  name: 'image',
  claim: 'the image builds, every entry point starts, and the cluster has it',
  isAlwaysRun: true,
  async run({ images, options, signal }) {
    return { notes: [await buildImage(images.now, options, signal)] };
  },
};
