/** A bound on what all have together, of which everybody may have half of what the others leave; or, of what is free, one portion. */
export interface Shares {
  fits(whose: string, amount: number): boolean;
  /** By a negative amount it is given back. It may go beyond the bound. */
  change(whose: string, by: number): void;
  total(): number;
}

export function createShares(max: number): Shares {
  const held = new Map<string, number>();
  let total = 0;
  return {
    fits(whose, amount) {
      if (total + amount > max) return false;
      const own = held.get(whose) ?? 0;
      return own === 0 || own + amount <= (max - (total - own)) / 2;
    },
    change(whose, by) {
      total += by;
      const own = (held.get(whose) ?? 0) + by;
      if (own === 0) held.delete(whose);
      else held.set(whose, own);
    },
    total: () => total,
  };
}
