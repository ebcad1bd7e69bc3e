/** A point where several parties wait for each other, as often as they like, until they leave. */
export interface Barrier {
  /** Resolves when every party that has not left has arrived. */
  arrive(): Promise<void>;
  leave(): void;
}

/** A barrier for `parties` parties. A party that fails leaves, so that the others do not wait for it. */
export function createBarrier(parties: number): Barrier {
  let present = parties;
  let waiting: (() => void)[] = [];
  const openIfAll = () => {
    if (waiting.length < present) return;
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  return {
    arrive: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        openIfAll();
      }),
    leave: () => {
      present -= 1;
      openIfAll();
    },
  };
}
