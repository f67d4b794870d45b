/** Rounded down: a certainty that does not suffice is not shown as one that does. */
export const formatCertainty = (certainty: number): string =>
  `${Math.floor(certainty * 1000) / 10} %`;
