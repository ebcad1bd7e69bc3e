/** Durations seen so far, and what they say about the trials to come. */
export interface Estimator {
  add(variantId: string, seconds: number): void;
  /** Seconds for so many trials of each variant; null before anything was seen. A variant not seen yet takes the mean of those seen. */
  remaining(trialsLeft: ReadonlyMap<string, number>): number | null;
}

export function estimator(): Estimator {
  const seen = new Map<string, { sum: number; count: number }>();
  let all = { sum: 0, count: 0 };
  return {
    add(variantId, seconds) {
      const { sum, count } = seen.get(variantId) ?? { sum: 0, count: 0 };
      seen.set(variantId, { sum: sum + seconds, count: count + 1 });
      all = { sum: all.sum + seconds, count: all.count + 1 };
    },
    remaining(trialsLeft) {
      if (all.count === 0) return null;
      let total = 0;
      for (const [id, count] of trialsLeft) {
        const { sum, count: times } = seen.get(id) ?? all;
        total += (count * sum) / times;
      }
      return total;
    },
  };
}
